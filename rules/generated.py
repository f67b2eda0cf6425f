"""Rules that a script makes of tables: `write` puts them into a folder of the catalogue, `check` says what would change."""
import sys


def write_or_check(script, folder, wanted, files="*"):
    """`wanted`: path below `folder` -> text. What else stands there goes, of the files that are called so."""
    have = {str(p.relative_to(folder)): p.read_text() for p in folder.rglob(files) if p.is_file()}
    if sys.argv[1:2] == ["check"]:
        differ = sorted(k for k in wanted.keys() | have.keys() if wanted.get(k) != have.get(k))
        if differ:
            raise SystemExit(script + " write would change " + " ".join(differ))
        return
    for path in have.keys() - wanted.keys():
        (folder / path).unlink()
    for path, text in wanted.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)

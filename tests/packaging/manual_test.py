"""The man page and the completions know every command and option of the help texts, and the shells can read them.

manual_test.py NCCLWHY MANUAL_DIR, where the build wrote them.
"""

import os
import re
import shutil
import subprocess
import sys
import unittest

MANUAL = sys.argv.pop()
BINARY = sys.argv.pop()
FILES = {"bash": "ncclwhy.bash", "zsh": "_ncclwhy", "fish": "ncclwhy.fish", "man": "ncclwhy.1"}
COMMANDS = re.search(r'compgen -W "([a-z ]+)" --', open(os.path.join(MANUAL, "ncclwhy.bash")).read()).group(1).split()


def run(*arguments, **more):
    return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, **more)


def help_of(command):
    return run(BINARY, command, "--help").stdout


def options_of(command):
    """The options that start the columns of a help text: "  -f, --format F  text", "     --version"."""
    names = set()
    for line in help_of(command).splitlines():
        if re.match(r"  -", line):
            for cell in re.split(r"  +", line.strip()):
                if cell.startswith("-"):
                    names.update(re.findall(r"(?:^|(?<=[ ,]))--?[a-z][a-z-]*", cell))
    return names


def text(kind):
    with open(os.path.join(MANUAL, FILES[kind]), encoding="utf-8") as file:
        return file.read()


def part(kind, command):
    """What the file says about one command."""
    whole = text(kind)
    if kind == "bash":
        return re.search(r"^    %s\)$.*?^        ;;$" % command, whole, re.M | re.S).group()
    if kind == "zsh":
        return re.search(r"^_ncclwhy_%s\(\) \{$.*?^\}$" % command, whole, re.M | re.S).group()
    if kind == "fish":
        here = "not __fish_seen_subcommand_from" if command == COMMANDS[0] else "_subcommand_from %s'" % command
        return "\n".join(line for line in whole.splitlines() if here in line)
    plain = whole.replace("\\-", "-")
    if command == COMMANDS[0]:
        return plain[: plain.index("\n.SH COMMANDS")]
    return re.search(r"^\.SS ncclwhy %s$.*?(?=^\.S)" % command, plain, re.M | re.S).group()


def fish_name(name):
    return "-l " + name[2:] if name.startswith("--") else "-s " + name[1:]


class ManualTest(unittest.TestCase):
    def test_commands(self):
        # The main help names what is completed, and each has a help of its own.
        self.assertEqual(COMMANDS[0], "analyze")
        also = re.search(r"(?ms)^Also: .*?^(?=Exit)", help_of("analyze")).group()
        words = set(re.findall(r"(?<![-\w])[a-z]+", also)) - {"ncclwhy"}
        self.assertEqual(sorted(words), sorted(COMMANDS[1:]))
        for command in COMMANDS[1:]:
            self.assertTrue(help_of(command).startswith("Usage: ncclwhy " + command), command)

    def test_version(self):
        # The commit and its date, where the sources know them; "+": changed since.
        for option in ("--version", "-V"):
            self.assertRegex(run(BINARY, option).stdout, r"\Ancclwhy \d+\.\d+\.\d+( \([0-9a-f]{12,40}\+?, \d{4}-\d\d-\d\d\))?\n\Z")

    def test_every_option_of_the_help(self):
        self.assertGreater(len(options_of("analyze")), 10)
        for command in COMMANDS:
            for name in options_of(command) - {"--version"}:
                for kind in FILES:
                    shown = fish_name(name) if kind == "fish" else name
                    self.assertRegex(part(kind, command), re.escape(shown) + r"(?![a-z-])", "%s %s" % (kind, command))

    def test_every_option_of_the_program(self):
        # The completions come from the definitions: an option that is missing in the help is found here.
        for command in COMMANDS:
            defined = re.search(r'\$cur == -\* \]\]; then\n +_ncclwhy_words "([^"]*)"', part("bash", command)).group(1)
            shown = re.findall(r"--?[a-z][a-z-]*", help_of(command))
            for names in [n for n in defined.split() if n.startswith("--") and n not in ("--help", "--version")]:
                short = {"--output": "-o"}.get(names)
                self.assertTrue(names in shown or short in shown, "%s %s" % (command, names))

    def test_help_fits_a_screen(self):
        for command in COMMANDS:
            lines = help_of(command).splitlines()
            self.assertLessEqual(len(lines), 24, command)
            self.assertLess(max(map(len, lines)), 81, command)

    def test_files_are_what_the_program_prints(self):
        self.assertEqual(text("man"), run(BINARY, "--help-man").stdout)
        for shell in ("bash", "zsh", "fish"):
            self.assertEqual(text(shell), run(BINARY, "completion", shell).stdout)

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_roff_has_no_warnings(self):
        page = run("groff", "-man", "-Tutf8", "-ww", "-rLL=100n", os.path.join(MANUAL, FILES["man"]))
        self.assertEqual(page.returncode, 0)
        self.assertNotRegex(page.stdout, r"(?m)^(g?troff|an)[^\n]*:")
        self.assertIn('"SELECT', page.stdout)

    def complete_bash(self, *words):
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ncclwhy; printf "%s\\n" "${COMPREPLY[@]}"'
        environment = dict(os.environ, PATH=os.path.dirname(BINARY) + os.pathsep + os.environ["PATH"])
        path = os.path.join(MANUAL, FILES["bash"])
        return run("bash", "-c", script, "bash", path, "ncclwhy", *words, env=environment, cwd=MANUAL).stdout.split()

    def test_bash_completes(self):
        self.assertEqual(self.complete_bash("exp"), ["explain"])
        self.assertIn("_ncclwhy", self.complete_bash("_"))  # LOG is a file
        self.assertEqual(self.complete_bash("--for"), ["--format"])
        self.assertEqual(self.complete_bash("--format", "js"), ["json"])
        self.assertEqual(self.complete_bash("--format", "=", "js"), ["json"])
        self.assertEqual(self.complete_bash("query", "--format", "t"), ["table", "tsv"])
        self.assertEqual(self.complete_bash("explain", "shm.too"), ["shm.too-small"])
        self.assertEqual(self.complete_bash("completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.complete_bash("explain", "--form"), [])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_reads_it(self):
        self.assertEqual(run("zsh", "-f", "-n", os.path.join(MANUAL, FILES["zsh"])).stdout, "")

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_completes(self):
        def complete(line):
            script = 'source $argv[1]; complete -C "$argv[2]"'
            out = run("fish", "-N", "-c", script, os.path.join(MANUAL, FILES["fish"]), line).stdout
            return [entry.split("\t")[0] for entry in out.splitlines()]

        self.assertIn("explain", complete("ncclwhy ex"))
        self.assertEqual(complete("ncclwhy --form"), ["--format"])
        self.assertEqual(complete("ncclwhy --format js"), ["json"])
        self.assertEqual(complete("ncclwhy query --format t"), ["table", "tsv"])


if __name__ == "__main__":
    unittest.main()

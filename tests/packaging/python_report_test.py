"""The dataclasses of src/python/ncclwhy/report.py are the schema's. python_report_test.py LOG CAUSE"""

import dataclasses
import json
import os
import re
import sys
import typing
import unittest

import ncclwhy
from ncclwhy import report as module

CAUSE = sys.argv.pop()
LOG = sys.argv.pop()
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
with open(os.path.join(ROOT, "src", "report", "report.schema.json"), encoding="utf-8") as schema_file:
    SCHEMA = json.load(schema_file)
TYPES = {"string": str, "integer": int, "number": float, "boolean": bool}


def class_of(name):
    return getattr(module, "".join(part.capitalize() for part in name.split("_")))


def type_of(schema, inline):
    """What a dataclass says for a schema. `inline` is the class of an object that has no name of its own."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        target = SCHEMA["definitions"][name]
        return class_of(name) if target["type"] == "object" else TYPES[target["type"]]
    if "const" in schema:
        return str
    if schema["type"] == "array":
        return typing.List[type_of(schema["items"], inline)]
    if schema["type"] == "object":
        return typing.Dict[str, type_of(schema["additionalProperties"], inline)] if "additionalProperties" in schema else inline
    return TYPES[schema["type"]]


class SchemaTest(unittest.TestCase):
    def same(self, kind, schema):
        hints = typing.get_type_hints(kind)
        fields = {one.name.rstrip("_"): one for one in dataclasses.fields(kind)}
        self.assertEqual(sorted(fields), sorted(schema["properties"]), kind)
        for name, one in fields.items():
            inline = {"context": module.ContextLine, "checks": module.Check}.get(name)
            expected = type_of(schema["properties"][name], inline)
            needed = one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
            self.assertEqual(needed, name in schema["required"], (kind, name))
            if one.default is None:
                expected = typing.Optional[expected]
            self.assertEqual(hints[one.name], expected, (kind, name))

    def test_every_definition(self):
        self.same(module.Report, SCHEMA)
        objects = {name: one for name, one in SCHEMA["definitions"].items() if one["type"] == "object"}
        self.assertGreater(len(objects), 15)
        for name, one in objects.items():
            self.same(class_of(name), one)
        self.same(module.ContextLine, SCHEMA["definitions"]["evidence"]["properties"]["context"]["items"])
        self.same(module.Check, SCHEMA["definitions"]["cause"]["properties"]["checks"]["items"])

    def test_nothing_is_lost(self):
        report = ncclwhy.analyze(LOG)
        made, given = dataclasses.asdict(report), report.json()

        def compare(here, there):
            if isinstance(there, dict) and not isinstance(here, dict):
                self.fail(here)
            if isinstance(there, dict):
                for name, value in there.items():
                    compare(here[name] if name in here else here[name + "_"], value)
            elif isinstance(there, list):
                self.assertEqual(len(here), len(there))
                for one, other in zip(here, there):
                    compare(one, other)
            else:
                self.assertEqual(here, there)

        compare(made, given)
        self.assertIsInstance(report.causes[0].evidence[0], module.Evidence)

    def test_members_of_a_later_version(self):
        data = dict(ncclwhy.analyze(LOG).json(), later={"x": 1})
        report = ncclwhy.Report.from_json(data)
        self.assertEqual(report.cause.id, CAUSE)
        self.assertEqual(report.json()["later"], {"x": 1})
        with self.assertRaises(ValueError):
            report.render()
        self.assertIn("pre", report._repr_html_())

    def test_notebook(self):
        shown = ncclwhy.analyze({'"><script>alert(1)</script>': b"node1:7:7 [0] NCCL WARN <script>alert(2)</script>\n"})._repr_html_()
        # One element, cut off from the page around it, and nothing that leaves the attribute.
        self.assertRegex(shown, r'\A<iframe sandbox="allow-scripts" [^<>"]*(="[^<>"]*"[^<>"]*)*></iframe>\Z')
        self.assertNotIn("allow-same-origin", shown)

    def test_versions_agree(self):
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            self.assertEqual(re.search(r"project\(ncclwhy VERSION (\S+)", file.read()).group(1), ncclwhy.__version__)
        self.assertEqual(ncclwhy.version(), ncclwhy.__version__)


if __name__ == "__main__":
    unittest.main()

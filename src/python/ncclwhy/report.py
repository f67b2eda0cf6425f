"""The report ncclwhy.report/1 as dataclasses: the names are those of report.schema.json, with "_" behind words of Python.

What the schema does not require is None or empty when it is left out. Members that this version does not know are in
Report.json() only.
"""

import dataclasses
import html
import sys
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Type, TypeVar, Union, get_type_hints

T = TypeVar("T")


def _list() -> Any:
    return field(default_factory=list)


@dataclass
class OutcomeEvidence:
    file: Optional[str] = None
    line: Optional[int] = None
    text: Optional[str] = None
    note: Optional[str] = None


@dataclass
class Attempt:
    outcome: str
    cause: Optional[str] = None
    file: Optional[str] = None
    first_line: Optional[int] = None
    last_line: Optional[int] = None
    sentence: Optional[str] = None


@dataclass
class Checkpoint:
    file: str
    line: int
    text: str
    step: Optional[str] = None


@dataclass
class Culprit:
    why: str
    rank: Optional[int] = None
    host: Optional[str] = None
    pid: Optional[int] = None
    gpu: Optional[int] = None
    device: Optional[str] = None

    def __str__(self) -> str:
        parts = ["rank %d" % self.rank if self.rank is not None else "", self.host or "", self.device or ""]
        return ", ".join(part for part in parts if part)


@dataclass
class JobAnswer:
    name: str
    outcome: str
    verdict: str
    culprits: List[Culprit]
    files: List[str]
    exit_status: int
    cause: Optional[str] = None
    title: Optional[str] = None


@dataclass
class Candidate:
    id: str
    title: str
    tells: Optional[str] = None
    command: Optional[str] = None


@dataclass
class SeenIncident:
    id: str
    url: str
    cause: str
    title: str
    solved: str
    products: Dict[str, str] = field(default_factory=dict)


@dataclass
class Decision:
    do: str
    hosts: List[str]
    confidence: float
    why: str
    devices: List[str] = _list()
    command: Optional[str] = None
    look_first: bool = False
    end_first: bool = False


@dataclass
class Step:
    kind: str
    what: str
    count: int
    time: Optional[str] = None
    seconds: Optional[float] = None
    rank: Optional[int] = None
    host: Optional[str] = None
    file: Optional[str] = None
    line: Optional[int] = None
    text: Optional[str] = None
    ranks: Optional[List[int]] = None
    moved: Optional[float] = None


@dataclass
class HostOffset:
    host: str
    reference: str
    steps: int
    misleads: bool
    ahead: Optional[float] = None
    error: Optional[float] = None
    events: Optional[int] = None


@dataclass
class EnvironmentFact:
    name: str
    value: str
    file: Optional[str] = None
    line: Optional[int] = None


@dataclass
class ContextLine:
    line: int
    text: str


@dataclass
class Evidence:
    role: str
    file: Optional[str] = None
    line: Optional[int] = None
    text: Optional[str] = None
    rule: Optional[str] = None
    note: Optional[str] = None
    context: List[ContextLine] = _list()


@dataclass
class Fix:
    for_: str
    text: str
    command: Optional[str] = None
    cost: Optional[str] = None
    host: Optional[str] = None


@dataclass
class Check:
    command: Optional[str] = None
    text: Optional[str] = None
    host: Optional[str] = None


@dataclass
class Cause:
    id: str
    title: str
    confidence: float
    summary: str
    culprits: List[Culprit]
    evidence: List[Evidence]
    fixes: List[Fix]
    confirm: List[str]
    references: List[str]
    meaning: Optional[str] = None
    mistaken_for: Optional[str] = None
    unproven: Optional[str] = None
    why_not: Optional[str] = None
    checks: List[Check] = _list()
    fixes_elsewhere: List[Fix] = _list()
    sure: Optional[str] = None


@dataclass
class Consequence:
    text: str
    of: str
    file: Optional[str] = None
    line: Optional[int] = None
    count: Optional[int] = None
    ranks: Optional[List[int]] = None


@dataclass
class HarmlessLine:
    text: str
    count: int
    file: Optional[str] = None
    line: Optional[int] = None
    why: Optional[str] = None
    got_over: Optional[bool] = None
    alarm: Optional[int] = None


@dataclass
class LastWord:
    file: str
    line: int
    text: str
    rank: Optional[int] = None
    host: Optional[str] = None


@dataclass
class Collect:
    what: str
    command: Optional[str] = None


@dataclass
class Warning:
    id: str
    text: str
    evidence: List[Evidence]
    contradicts: bool = False


@dataclass
class Rank:
    stage: str
    seen: bool
    culprit: bool
    rank: Optional[int] = None
    host: Optional[str] = None
    pid: Optional[int] = None
    gpu: Optional[int] = None
    file: Optional[str] = None
    last_line: Optional[int] = None
    last_text: Optional[str] = None
    collectives: Optional[int] = None


@dataclass
class CallColumn:
    ranks: List[int]
    calls: List[str]


@dataclass
class CallTable:
    first: int
    disagree: int
    columns: List[CallColumn]


@dataclass
class Communicator:
    id: int
    nranks: int
    ranks_seen: int
    stage: str
    comm_id: Optional[str] = None
    ranks: List[Rank] = _list()
    calls_differ: Optional[CallTable] = None


@dataclass
class Edge:
    from_: int
    to: int
    transport: str
    channels: int


@dataclass
class Job:
    nccl_versions: List[str]
    hosts: int
    processes: int
    communicators: List[Communicator]
    transports: Dict[str, int]
    edges: List[Edge] = _list()
    environment: List[EnvironmentFact] = _list()


@dataclass
class Coverage:
    lines: int
    nccl: int
    recognised: int
    unrecognised: int
    foreign: int
    damaged: int
    sources: int
    bytes: Optional[int] = None
    notes: Dict[str, int] = field(default_factory=dict)


@dataclass
class Report:
    """What became of the job and why. str() is the command's text, render() every other format."""

    schema: str
    ncclwhy: str
    verdict: str
    causes: List[Cause]
    consequences: List[Consequence]
    collect: List[Collect]
    warnings: List[Warning]
    job: Job
    coverage: Coverage
    language: Optional[str] = None
    exit_status: Optional[int] = None
    outcome: Optional[str] = None
    outcome_evidence: List[OutcomeEvidence] = _list()
    progress: Optional[str] = None
    checkpoint: Optional[Checkpoint] = None
    attempts: List[Attempt] = _list()
    jobs: List[JobAnswer] = _list()
    candidates: List[Candidate] = _list()
    seen_before: List[SeenIncident] = _list()
    followers: List[int] = _list()
    harmless: List[HarmlessLine] = _list()
    last_words: List[LastWord] = _list()
    decision: Optional[Decision] = None
    timeline: List[Step] = _list()
    clocks: List[HostOffset] = _list()
    problems: List[str] = _list()

    @classmethod
    def from_json(cls, data: Dict[str, Any], render: Optional[Callable[[str], str]] = None) -> "Report":
        """The report that --json or the server wrote. Without `render` it has no other form."""
        report = from_dict(cls, data)
        report._data = data
        report._render = render
        return report

    @property
    def cause(self) -> Optional[Cause]:
        """The cause that is named for a failure or a degraded job; None when none is."""
        return self.causes[0] if self.causes and self.verdict in ("failure", "degraded") else None

    def json(self) -> Dict[str, Any]:
        """The whole report as dicts and lists."""
        return self._data

    def render(self, format: str = "text") -> str:
        """text, full, json, markdown, html or another format that `ncclwhy --help` lists."""
        if self._render is None:
            raise ValueError("this report was made from JSON: it cannot be rendered")
        return self._render(format)

    def __str__(self) -> str:
        return self.render() if self._render else repr(self)

    def __repr__(self) -> str:
        named = " %s %.2f" % (self.cause.id, self.cause.confidence) if self.cause else ""
        return "<ncclwhy.Report %s, %s%s>" % (self.outcome, self.verdict, named)

    def _repr_html_(self) -> str:
        """For notebooks: the HTML report in a frame of its own, cut off from the notebook's page."""
        if self._render is None:
            return "<pre>%s</pre>" % html.escape(repr(self))
        page = html.escape(self.render("html"), quote=True)
        return '<iframe sandbox="allow-scripts" width="100%%" height="640" style="border:0" srcdoc="%s"></iframe>' % page

    _data = None  # type: Any
    _render = None  # type: Optional[Callable[[str], str]]


def from_dict(kind: Type[T], data: Dict[str, Any]) -> T:
    """A dataclass of this module from the object that the JSON has for it."""
    hints = get_type_hints(kind, vars(sys.modules[__name__]))
    known = {}
    for one in dataclasses.fields(kind):  # type: ignore[arg-type]
        name = one.name.rstrip("_")
        if name in data:
            known[one.name] = _value(hints[one.name], data[name])
    return kind(**known)


def _value(hint: Any, value: Any) -> Any:
    if dataclasses.is_dataclass(hint):
        kind: Any = hint
        return from_dict(kind, value)
    inner: Any = getattr(hint, "__args__", ())
    if getattr(hint, "__origin__", None) is Union:  # Optional
        return _value(inner[0], value)
    return [_value(inner[0], one) for one in value] if isinstance(value, list) and inner else value

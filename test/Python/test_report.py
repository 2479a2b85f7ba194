"""The report of optimize() in its forms."""

import html.parser
import json

import numpy as np
import pytest
from graphs import relu_chain, traced

import clika_runtime as crt
from clika_runtime.graph import OpCode, Pattern, transforms


def test_every_form_says_the_same(capsys):
    rule = transforms.rewrite("pair", Pattern([OpCode.Relu, OpCode.Relu]), lambda match, tensors: crt.relu(tensors[0]),
                              lambda match: match.nodes[0].input(0).is_graph_input())  # fmt: skip
    report = relu_chain(4).optimize([rule, transforms.remove_unused(), transforms.fold_constants()])
    as_dict = report.to_dict()
    assert json.loads(report.to_json()) == as_dict
    row = as_dict["transforms"][0]
    assert row == report.transforms[0].to_dict()
    for field in ("applications", "rewrites", "attempts", "occurrences", "skipped", "declined"):
        assert row[field] == getattr(report.transforms[0], field), field
    assert row["occurrences"] == row["rewrites"] + row["skipped"] + row["declined"] and row["declined"] > 0
    assert sum(row["skipped_by"].values()) == row["skipped"] and row["attempts"] > 0
    assert as_dict["rewrites"] == report.rewrites == 3
    assert (as_dict["nodes_before"], as_dict["nodes_after"]) == (5, 2)
    report.print()
    assert capsys.readouterr().out == str(report)
    phases = report.phases
    assert phases.match > 0 and phases.rewrite > 0 and phases.cleanup > 0 and phases.fold > 0 and phases.regions == 0
    assert phases.match + phases.rewrite + phases.cleanup + phases.fold <= report.seconds


def refusing_report(**options):
    """A rule that declines with a reason, one that skips, and a chain of twelve that makes many nodes to be named."""
    rule = transforms.rewrite("pair", Pattern([OpCode.Relu, OpCode.Relu]), lambda match, tensors: crt.relu(tensors[0]),
                              lambda match: crt.graph.Declined("it is far from the input")
                              if not match.nodes[0].input(0).is_graph_input() else True)  # fmt: skip
    return relu_chain(12).optimize([rule, transforms.remove_unused()], **options)


def test_the_printed_report_has_attempts_phases_and_reasons():
    report = refusing_report(explain=True, max_iterations=1)
    lines = str(report).splitlines()
    head, pair, unused = lines[:3]
    column = head.split().index("attempts")
    assert [line.split()[column] for line in (pair, unused)] == [str(row.attempts) for row in report.transforms]
    milliseconds = [part.split()[-1] for part in lines[4].split(", ")]
    phases = report.phases
    assert lines[4].startswith("ms by phase: match ") and [f"{1e3 * seconds:.3f}" for seconds in (
        phases.match, phases.rewrite, phases.cleanup, phases.fold, phases.regions)] == milliseconds  # fmt: skip
    assert lines[5:] == ["what pair left alone:", "  skipped: 1 changed by an earlier replacement",
                         "  9 times: it is far from the input (relu_4, relu_5, relu_6, ...)",
                         "what remove_unused left alone:", "  11 times: something reads it (relu_12, relu_11, relu_10, ...)"]


def test_of_many_reasons_the_printed_report_has_the_most_frequent():
    class Talks(crt.graph.PatternTransform):
        def match(self, graph, node):
            return self.no_match(node, f"no {node.name}")

        def apply(self, graph, match, tensors):
            raise AssertionError

    report = relu_chain(10).optimize([Talks("talks")], max_iterations=1)
    lines = str(report).splitlines()
    place = f"test_report.py:{Talks.match.__code__.co_firstlineno + 1}"
    assert lines[-10] == "what talks left alone:" and lines[-1] == "  and 2 more in to_json()"
    assert lines[-9].startswith("  1 time: no relu_1 (relu_1; ") and lines[-9].endswith(place + ")")
    assert len(report.to_dict()["transforms"][0]["reasons"]) == 10


def test_the_log_is_part_of_every_form(tmp_path):
    report = refusing_report(record=True)
    as_dict = report.to_dict()
    assert json.loads(report.to_json()) == as_dict
    log = as_dict["log"]
    assert log == report.log.to_dict() and crt.graph.RewriteLog.from_text(log["text"]).text == report.log.text
    assert log["steps"] == [step.to_dict() for step in report.log.steps] and log["steps"][0]["transform"] == "pair"
    assert set(log["steps"][0]) == {"iteration", "transform", "added", "changed", "removed", "functions"}
    path = tmp_path / "report.html"
    report.to_html(path)
    assert str(report.log).strip() in Page(path.read_text()).text
    assert refusing_report().to_dict()["log"] is None


def test_every_part_has_a_dict():
    report = refusing_report()
    as_dict = report.to_dict()
    (reason,) = report.transforms[0].reasons
    assert reason.to_dict() == as_dict["transforms"][0]["reasons"][0] == {
        "reason": "it is far from the input", "count": reason.count, "file": "", "line": 0, "nodes": reason.nodes}  # fmt: skip
    assert report.transforms[0].skipped_by.to_dict() == as_dict["transforms"][0]["skipped_by"]
    assert report.phases.to_dict() == as_dict["phases"]
    inside = nested().optimize(["remove_double_neg"])
    assert [row.to_dict() for row in inside.regions] == inside.to_dict()["regions"] != []


def test_why_the_runtimes_left_nodes_alone_is_told_on_request():
    def fn(t):
        return crt.relu(t[0])

    (row,) = traced(fn).optimize(["remove_unused"], explain=True).transforms
    assert [(reason.reason, reason.count, reason.nodes) for reason in row.reasons] == [("something reads it", 1, ["relu_1"])]
    assert row.reasons[0].file == "" and row.reasons[0].line == 0
    assert traced(fn).optimize(["remove_unused"]).transforms[0].reasons == []


class Page(html.parser.HTMLParser):
    VOID = ("meta", "path", "rect")

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.text = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data.strip())

    def of(self, tag, **wanted):
        return [a for t, a in self.tags if t == tag and all(a.get(key) == value for key, value in wanted.items())]


def page_of(graph, path, *arguments, **options):
    graph.optimize(*arguments, **options).to_html(path)
    return Page(path.read_text())


def test_the_page_needs_nothing_else(tmp_path):
    graph = traced(lambda t: crt.relu(crt.relu(t[0] * np.array([[2, 3, 4]], np.float32))))
    name = "<script>alert('&')</script>"
    graph.rename_node(graph.find_nodes(OpCode.Mul)[0], name)
    page = page_of(graph, tmp_path / "report.html", ["remove_redundant_relu"], explain=True)
    assert len(page.of("svg")) == 2 and not page.of("script")
    for _, attributes in page.tags:
        assert not {"src", "href"} & attributes.keys()
    assert any(name in text for text in page.text) and "remove_redundant_relu" in page.text
    # The Relu that goes is red on one side; nothing is new on the other.
    assert len(page.of("g", **{"class": "operator changed"})) == 1
    assert len(page.of("g", **{"class": "operator"})) == 2 + 2
    assert len(page.of("g", **{"class": "constant"})) == len(page.of("g", **{"class": "input"})) == 2


def overlaps(boxes):
    return [(a, b) for i, a in enumerate(boxes) for b in boxes[:i]
            if a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]]  # fmt: skip


def test_boxes_do_not_overlap(tmp_path):
    def fn(t):
        values = [t[0]]
        for i in range(20):
            values.append(crt.relu(values[-1]) + values[i // 2] * np.float32(i))
        return values[-1]

    page = page_of(traced(fn), tmp_path / "report.html", [])
    boxes = [[float(rect[key]) for key in ("x", "y", "width", "height")] for rect in page.of("rect")]
    half = len(boxes) // 2
    assert half > 60 and overlaps(boxes[:half]) == []


def test_a_big_graph_is_cut_with_a_note(tmp_path):
    path = tmp_path / "report.html"
    page = page_of(relu_chain(5000), path, [])
    assert 2 * 200 < len(page.of("rect")) < 2 * 400 and path.stat().st_size < 1_000_000
    assert sum("more are not" in text for text in page.text) == 2


def test_a_file_that_cannot_be_written(tmp_path):
    report = relu_chain(1).optimize([])
    with pytest.raises(crt.IoError, match="to_html: the file '.*' cannot be written: No such file"):
        report.to_html(tmp_path / "none" / "report.html")
    with pytest.raises(crt.InvalidArgumentError, match="to_html: the path is a str"):
        report.to_html(3)


def nested():
    """A Relu over a Relu in a branch within a loop's body, in the other branch, and outside."""

    def body(i, a):
        return None, crt.if_(i > 0, lambda: [crt.relu(crt.relu(a))], lambda: [crt.neg(crt.neg(a))]), []

    def fn(t):
        return crt.loop(3, None, [crt.relu(crt.relu(t[0]))], body)[0]

    return traced(fn)


def test_regions_have_rows_of_their_own():
    graph = nested()
    rule = transforms.rewrite("pair", Pattern([OpCode.Relu, OpCode.Relu]), lambda match, tensors: crt.relu(tensors[0]))
    report = graph.optimize([rule, transforms.remove_double_neg(), transforms.remove_unused()])
    rows = {row.path: row for row in report.regions}
    assert list(rows) == ["loop_1.body/if_1.then", "loop_1.body/if_1.else", "loop_1.body"]
    then, other, body = rows.values()
    assert (then.nodes_before, then.nodes_after, then.rewrites) == (2, 1, 1)
    assert (other.nodes_before, other.nodes_after, other.rewrites) == (2, 0, 1)
    # The comparison and the choice.
    assert (body.nodes_before, body.nodes_after, body.rewrites) == (2, 2, 0)
    assert [row.rewrites for row in report.transforms] == [2, 1, 0]
    assert (report.nodes_before, report.nodes_after) == (4, 3) and len(graph.nodes()) == 3
    assert all(row.seconds > 0 and row.attempts > 0 for row in report.regions)
    assert report.phases.regions == pytest.approx(sum(row.seconds for row in report.regions))
    assert 0 < report.phases.regions < report.seconds
    phases = report.phases
    assert phases.match + phases.rewrite + phases.cleanup + phases.fold + phases.regions <= report.seconds
    assert report.to_dict()["regions"][0] == {field: getattr(then, field) for field in (
        "path", "attempts", "rewrites", "seconds", "nodes_before", "nodes_after")}  # fmt: skip
    lines = str(report).splitlines()
    end = next(i for i, line in enumerate(lines) if " converged, " in line)
    assert [line.split()[:2] for line in lines[4:end]] == [["region", "rewrites"], ["loop_1.body/if_1.then", "1"],
                                                          ["loop_1.body/if_1.else", "1"]]  # fmt: skip
    # A graph without regions says nothing of them.
    report = relu_chain(4).optimize([rule])
    assert report.regions == [] and report.phases.regions == 0 and "\nregion " not in str(report)


def test_every_way_to_rewrite_counts_by_region():
    class Pair(crt.graph.PatternTransform):
        def root_op_codes(self):
            return {OpCode.Relu}

        def match(self, graph, node):
            inner = node.input(0).producer()
            return self.result([inner, node]) if inner is not None and inner.op_code == OpCode.Relu else None

        def apply(self, graph, match, tensors):
            return [crt.relu(tensors[0])]

    text = """pdl.pattern @pair : benefit(1) {
      %x = operand
      %type = type
      %inner = operation "clika.relu"(%x : !pdl.value) -> (%type : !pdl.type)
      %value = result 0 of %inner
      %outer = operation "clika.relu"(%value : !pdl.value) -> (%type : !pdl.type)
      rewrite %outer {
        replace %outer with %inner
      }
    }"""
    for entry in (Pair("pair"), crt.graph.Transform.from_pdl("pair", text), transforms.remove_redundant_relu()):
        report = nested().optimize([entry])
        (row,) = report.transforms
        found = {region.path: (region.rewrites, region.nodes_before - region.nodes_after) for region in report.regions}
        assert found == {"loop_1.body/if_1.then": (1, 1), "loop_1.body/if_1.else": (0, 0), "loop_1.body": (0, 0)}
        assert row.rewrites == 2 and row.attempts > sum(region.attempts for region in report.regions) > 0


def test_the_runtimes_transforms_count_what_they_look_at():
    def fn(t):
        return crt.concat([crt.relu(crt.relu(t[0])) + crt.neg(t[0]), t[0]], 0)

    def attempts(name):
        return traced(fn).optimize([name], max_iterations=1).transforms[0].attempts

    assert attempts("remove_unused") == attempts("remove_duplicates") == 5
    # A rule that is about some operators looks at their nodes alone.
    assert attempts("merge_clamps") == 2 and attempts("remove_double_neg") == 1 and attempts("merge_pads") == 0


def test_a_path_keeps_the_names_it_was_found_under():
    def late(graph):
        if loop := graph.find_node("loop_1"):
            graph.rename_node(loop, "again")

    graph = nested()
    report = graph.optimize([crt.graph.Transform("late", late), transforms.remove_double_neg()])
    assert [row.path for row in report.regions][2] == "loop_1.body"
    assert [row.path for row in graph.optimize([]).regions][2] == "again.body"


def test_regions_are_drawn_inside_of_their_operator(tmp_path):
    graph = nested()
    page = page_of(graph, tmp_path / "report.html", ["remove_double_neg"])
    # Per picture: the body and two branches.
    assert len(page.of("g", **{"class": "region"})) == 2 * 3
    assert {"then", "else", "body", "loop_1.body/if_1.then"} <= set(page.text)
    # Both negations are red before, and gone afterwards.
    assert len(page.of("g", **{"class": "operator changed"})) == 2
    boxes = [[float(rect[key]) for key in ("x", "y", "width", "height")] for rect in page.of("rect")]
    assert max(height for _, _, _, height in boxes) > 200

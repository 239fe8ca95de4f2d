from nadp.report.page import page


def test_markdown_becomes_a_whole_page_with_its_title_escaped():
    found = page("# Head\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n> **x**", "a < b & c")
    assert found.startswith("<!doctype html>")
    assert "<title>a &lt; b &amp; c</title>" in found
    for part in ("<h1>Head</h1>", "<td>2</td>", "<blockquote>", "<strong>x</strong>"):
        assert part in found


def test_markup_in_the_text_is_not_run():
    assert "<script>" not in page("a <script>alert(1)</script>", "t")

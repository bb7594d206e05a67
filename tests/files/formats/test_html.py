import re
from collections.abc import Callable

import pytest

from lumber_files import read_bytes
from lumber_files.formats.html import read_html
from tests.growth import check_linear
from tests.making_files import grid


@pytest.mark.parametrize(
    ("page", "markdown"),
    [
        ("<h1>A  <b>b</b></h1>Text.<h2>C</h2>", "# A **b**\n\nText.\n\n## C"),
        ("<p>one<br>two<p>three <b> x </b>y <i>z</i>", "one  \ntwo\n\nthree **x** y *z*"),
        ("<ul><li>a<li>b<ul><li>c</ul><li><p>d<p>e</ul>", "- a\n- b\n  - c\n- d\n\n  e"),
        ("<ol start=9><li>a<li>b<ul><li>c</ul></ol>", "9. a\n10. b\n    - c"),
        (
            "<ol><li><pre>a</pre><p>b<li>c</ol>d<ul><li>e<p>f</ul>",
            "1. ```\n   a\n   ```\n\n   b\n\n2. c\n\nd\n\n- e\n\n  f",
        ),
        ("<blockquote>a<p>b</p></blockquote>c", "> a\n>\n> b\n\nc"),
        ("<pre>a\n  b ``` c\n</pre>", "````\na\n  b ``` c\n````"),
        ("<h2><div>A</div><div>b</div></h2><pre>c<br>d</pre>", "## A b\n\n```\nc\nd\n```"),
        ("<p>See <a href=x><code>[T]</code></a>", "See `[T]`"),
        ("<p>Call <code>f(x)</code> or <code>`</code>.", "Call `f(x)` or `` ` ``."),
        ("a<hr>b", "a\n\n---\n\nb"),
        (
            "<table><tr><th>a<th>b<tr><td>1|2<td><p>x</p><p>y</p></table>",
            "| a | b |\n| --- | --- |\n| 1\\|2 | x y |",
        ),
        (
            "<table><caption>T</caption><tr><td colspan=2>a<td>b<tr><td>1<td>2<td>3</table>",
            "T\n\n" + grid("a|a|b", "1|2|3"),
        ),
        # A cell that spans rows or columns is in each of them.
        (
            "<table><tr><th rowspan=2>Boat<th colspan=2>Rent<tr><th>Hour<th>Day"
            "<tr><td rowspan=0>Punt<td>6<td>25<tr><td>7<td>30</table>",
            grid("Boat|Rent|Rent", "Boat|Hour|Day", "Punt|6|25", "Punt|7|30"),
        ),
        (
            "<table><thead><tr><th rowspan=9>Boat<th>Day</thead><tbody><tr><td rowspan=0>Punt<td>6"
            "<tr><td>7</tbody><tbody><tr><td>Raft<td>8</tbody></table>",
            grid("Boat|Day", "Punt|6", "Punt|7", "Raft|8"),
        ),
        (  # a span beyond the table
            "<table><tr><th>Boat<th>Day<tr><td rowspan=3>Punt<td>6<tr><td>7<tr><td colspan=1000>No",
            grid("Boat|Day", "Punt|6", "Punt|7", "Punt|No"),
        ),
        # Cells of a table for layout are not repeated.
        (
            "<table><tr><td rowspan=2><h2>a</h2>b<td>c<tr><td><h2>d</h2>e</table>",
            "## a\n\nb\n\nc\n\n## d\n\ne",
        ),
        # Readings are in parentheses; marks of notes are apart from words.
        ("<p><ruby>湖<rt>みずうみ</rt>の</ruby>岸", "湖(みずうみ)の岸"),
        # A line end inside Chinese or Japanese is dropped, beside other alphabets it is a space.
        ("<p>名はまだ\r\n  無い。\n<i>「猫」\n</i>が\n20\n年", "名はまだ無い。*「猫」*が 20 年"),
        ("<h1>第一章\n总则</h1><ul><li>中\n文<li>한국\n말", "# 第一章总则\n\n- 中文\n- 한국 말"),
        ("<p>中<br>\n文<pre>代码\n代码</pre>", "中  \n文\n\n```\n代码\n代码\n```"),
        (
            "<p><font face=Wingdings>ü</font> <u style='font-family:\"Symbol\"'>a<u style='font:"
            "7pt Arial'>a</u></u>",
            "✓ αa",
        ),
        (
            "<ul><li><input type=checkbox disabled checked>a<li><label><input type=checkbox>b"
            "</label><li><input type=radio>c</ul>"
            # Tasks of Confluence and of Notion, also in a table.
            "<p>b<ul><li data-inline-task-id=1 class=checked>d<li data-inline-task-id=2>e<li><div "
            "class='checkbox checkbox-off'></div> f</ul><table><tr><th>A<th>B<tr><td><div class='"
            "checkbox checkbox-on'></div><td><input type=checkbox disabled><tr><td><input checked "
            "type=radio><td><input type=radio></table>",
            "- ☑ a\n- ☐ b\n- c\n\nb\n\n- ☑ d\n- ☐ e\n- ☐ f\n\n" + grid("A|B", "☑|☐", "☑|"),
        ),
        (
            "<svg><switch><foreignObject><div>Mill <b>wheel</b></div></foreignObject><text>Mi"
            "</text></switch><text>Gate</text></svg>",
            "Mill **wheel**\n\nGate",
        ),
        (
            "<p>a <svg><title>Icon</title><path/></svg>b<figure><svg><desc>c</desc><g><text>d "
            "<tspan>e</tspan><tspan x=9 y=9>f</tspan></text></g></svg></figure>",
            "a b\n\nd e f",
        ),
        (
            "<table><tfoot><tr><td>Sum<td>9<tbody><tr><th>A<th>B<tr><td>1<td>9</table>",
            grid("A|B", "1|9", "Sum|9"),
        ),
        (  # only the first header is above all rows
            "<table><tbody><tr><td>1<td>9</tbody><thead><tr><th>A<th>B</thead><thead><tr><th>C<th>D"
            "</thead></table>",
            grid("A|B", "1|9", "C|D"),
        ),
        (
            "<div role=table><div role=rowgroup><p role=row><span role=columnheader>A</span><span "
            "role=columnheader>B</span></p></div><a role=row href=a><x-cell role=cell>1</x-cell>"
            "<x-cell role=gridcell>9</x-cell></a></div>",
            grid("A|B", "1|9"),
        ),
        ("<p>wa<span epub:type=pagebreak>6</span>ter", "water"),
        ("<p>Signs: <q>no <b>dogs</b></q>, <q>no</q>.", "Signs: “no **dogs**”, “no”."),
        ("<p><ruby>湖<rp>[</rp><rt>lake</rt><rp>]</rp></ruby>, <ruby>岸<rt></rt>", "湖(lake), 岸"),
        ("<p>the mill<a epub:type='noteref' href='#n'>1</a> stands", "the mill^1 stands"),
        ("<table><tr><th>a<th>b<tr><td rowspan=2>1<td>2<tr><td>3", grid("a|b", "1|2", "1|3")),
        ("<table><tr><th>Who<td>Ann<tr><th>Bay<td>Up</table>", grid("|", "Who|Ann", "Bay|Up")),
        ("<table><thead><tr><td><td>2024</thead><tr><td>a<td>1</table>", grid("|2024", "a|1")),
        ("<table><tr><td><b>a</b><td><b>b</b><tr><td>1<td>2</table>", grid("**a**|**b**", "1|2")),
        ("<table><tr><th>a<th>b<tr><td><ul><li>x<li>y</ul><td>1</table>", grid("a|b", "• x • y|1")),
        # Other blocks in cells.
        (
            "<table><tr><td>A<td>B<td>C<tr><td><ul><li>x<li>y</ul><td>2"
            "<td><table><tr><td>q<td>w<tr><td>e<td>r</table></table>",
            grid("A|B|C", "• x • y|2|q / w e / r"),
        ),
        (
            "<table><tr><td><h3>A</h3><td><h3>B</h3><tr><td><p>x<p>y<td>z</table>",
            grid("**A**|**B**", "x y|z"),
        ),
        (
            "<table><tr><th>A<th>B<tr><td><blockquote>x</blockquote><pre>a</pre>"
            "<td><h4>t</h4><dl><dt>q<dd>r</dl></table>",
            grid("A|B", "x `a`|**t** q r"),
        ),
        (
            f"<table><tr><td>menu<td>x<tr><td>y<td><ul><li>{'long text ' * 25}</ul></table>",
            f"menu\n\nx\n\ny\n\n- {'long text ' * 24}long text",
        ),
        (
            "<table><tr><td><pre>1\n2</pre><td><pre>a\nb</pre><tr><td>c<td>d</table>",
            "```\n1\n2\n```\n\n```\na\nb\n```\n\nc\n\nd",
        ),
        # Formulas, also those that a page hides behind a picture or gives as TeX.
        *(
            (f"<p>Half is {formula} of it.", "Half is $\\frac{1}{2}$ of it.")
            for formula in (
                "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>",
                "<m:math><m:mfrac><m:mn>1</m:mn><m:mn>2</m:mn></m:mfrac></m:math>",
                "<math><semantics><mn>9</mn><annotation encoding='application/x-tex'>"
                "\\frac{1}{2}</annotation></semantics></math>",
                "<span class=mwe-math-mathml-a11y style='display: none'><math><mfrac><mn>1</mn>"
                "<mn>2</mn></mfrac></math></span><img src=a.png>",
            )
        ),
        # Formulas in TeX.
        *(
            (f"<p>Half is {formula}<p>b", "Half is $\\frac{1}{2}$\n\nb")
            for tex in (
                "<img class=latex alt='\\frac{1}{2}'>",
                "<script type='math/tex; mode=display'>% <![CDATA[\n\\frac{1}{2}%]]></script>",
            )
            for formula in (tex, f"<b class=MathJax_Preview>1/2</b>{tex}")
        ),
        ("<b><math><mi>a</mi></math></b><script type='math/tex' id=MathJax-1>a</script>", "$a$"),
        ("a <math><p>b</p><x@y>c</x@y><mi>d</mi></math> <b>e</b>", "a $d$ **e**"),
        # Notes that pop up, and marks of notes that are links.
        *(
            (
                f"<p>the mill<a epub:type='noteref' href='#n'>{mark}</a> stands"
                f"<aside epub:type='footnote' id='n' {hidden}><p>Built 1790.</p></aside>",
                f"the mill{shown} stands\n\n{start} Built 1790.",
            )
            for mark, shown, start in (("1", "^1", "1"), ("a", "^a", "a"), ("*", "*", "\\*"))
            for hidden in ("", "hidden", "style='display:none'")
        ),
        (
            "<p>the mill<sup><a href='#n'>b</a></sup> of 1998<a href='#m'>12</a> and <a href='#o'>4"
            "</a>.<ol><li id=n role=doc-endnote>Built.</ol>",
            "the mill^b of 1998^12 and 4.\n\n1. Built.",
        ),
        # Tables that only arrange the page.
        ("<table><tr><td><ul><li>x</ul><td><h1>T</h1>y</table>", "- x\n\n# T\n\ny"),
        ("<table><tr><td>a<tr><td>b</table>", "a\n\nb"),
        ("<table><tr><td>a<td><table><tr><th>b<th>c<tr><td>1<td>2", "a\n\n" + grid("b|c", "1|2")),
        # Content outside items, rows and cells.
        ("<ul><li>a</li><ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
        ("<ul><p>a<div><li>b</div></ul>e<ol><h3>c</h3><li>d", "- a\n- b\n\ne\n\n1. ### c\n2. d"),
        ("<table><form><tr><td>a<td>b<p>c</form></table>", grid("|", "a|b c")),
        ("<ul>a<li>b</ul><table>c<tr>d<td>e</table>", "- a\n- b\n\nc\n\n" + grid("|", "d|e")),
        (
            "<p>a <o:p @x=1><a href='&#1;'>b</a></o:p><p>c&shy;d&#1;<dl><dt>e<dd>f</dl>",
            "a b\n\ncd\n\ne\n\nf",
        ),
        # Lists of Google Docs, whose levels are in their names.
        (
            "".join(
                f"<{tag} class='lst-kix_x-{level} start' start={start}><li>{text}</{tag[:2]}>"
                for tag, level, start, text in (
                    *(("ol", 0, 1, "a"), ("ul", 1, 1, "b<li>c"), ("ul", 2, 1, "d")),
                    *(("ul", 1, 1, "e"), ("ol", 0, 2, "f"), ("ol", 2, 1, "g")),
                )
            ),
            "1. a\n   - b\n   - c\n     - d\n   - e\n\n2. f\n   1. g",
        ),
        # Numbers of items.
        (
            "<ol start=5><li>a<li value=9>b<ol><li>c<li value=4>d</ol><li>e</ol>",
            "5. a\n9. b\n   1. c\n   4. d\n10. e",
        ),
        (
            "<ol type=a start=26><li>a<ol style='list-style: Lower-Roman inside'><li>b<li>c</ol>"
            "<li><b>d</b></ol>",
            "- z. a\n  - i. b\n  - ii. c\n- aa. **d**",
        ),
        ("<ol type=a><li><p>a<p>b<li><ul><li>c</ul></ol>", "- a. a\n\n  b\n\n- - c"),
        ("<ol style='list-style-type: lower-greek'><li>a<li value=11>b</ol>", "- α. a\n- λ. b"),
        ("<ol type=A style='list-style:none'><li>a<li>b</ol>", "- a\n- b"),
        ("<ol reversed><li>a<li>b</ol>", "2. a\n1. b"),
        ("<ol reversed start=1><li>a<li>b</ol>", "- 1\\. a\n- 0\\. b"),
        ("<ol class='upperroman simple' start=3><li>a</ol>", "- III. a"),
        ("<dl><dt>x<span class=classifier>int</span><dd>a</dl>", "x : int\n\na"),
        ("<p>a <a href='#n'>[1]</a><div id=n>[1] b</div>", "a [1]\n\n[1] b"),
        ("<ol reversed type=I><li>a<li value=1>b</ol>", "- II. a\n- I. b"),
        # Raised and lowered text beside numbers.
        ("10<sup>6</sup> m<sup>2</sup> in 1998.<sup>3</sup>", "10^6 m^2 in 1998.^3"),
        ("10<sup>-3</sup>5 2<sup>n</sup> log<sub>2</sub>8 5<sub>10", "10^-3 5 2^n log2 8 5_10"),
        ("H<sub>2</sub>O, 1<sup>st</sup>, M<sup>me</sup> [<sup>1</sup>]", "H2O, 1st, Mme [1]"),
        (
            "Lee<sup>a,b</sup>, 12.5<sup>c</sup>, x<sup>n</sup>, D<sup>r</sup>",
            "Lee^a,b, 12.5^c, x^n, Dr",
        ),
        ("a<a role=doc-noteref href='#n'>1</a>", "a^1"),
        ("a<span class='x superscript'>1</span> b<span style='vertical-align: super'>2", "a^1 b^2"),
        (
            "<math><mfrac linethickness='0pt'><mi>n</mi><mi>k</mi></mfrac></math>",
            r"$\begin{matrix} n \\ k \end{matrix}$",
        ),
        # Text that would be markup is escaped.
        *((f"<p>{said}", f"\\{said}") for said in ("# of boats", "- a", "> a", "---", "[a](b)")),
        ("<p>1. a<p>a<br># b<p>[1] x_y 5 * 3 | A&B", "1\\. a\n\na  \n\\# b\n\n[1] x_y 5 * 3 | A&B"),
        (
            "<pre>a  \\\n\n- b\n\n- [x](y)</pre>use <code>&lt;br&gt;</code>",
            "```\na  \\\n\n- b\n\n- [x](y)\n```\n\nuse `<br>`",
        ),
        # Scripts, controls and navigation.
        *(
            (f"<head><title>x</title></head><h1>A</h1>{hidden}<p>c", "# A\n\nc")
            for hidden in (
                *("<script>x</script>", "<style>x</style>", "<nav>x<p>y</nav>", "<svg><p>x</svg>"),
                *("<div role=navigation><ul><li>x</ul></div>", "<select><option>x</select>"),
            )
        ),
        # Hidden elements, and details that can be opened.
        ("<figure><img alt=y><figcaption aria-hidden=true>y</figcaption></figure>", "y"),
        ("<p>a<a href='#n'>1</a> b<p><a id=n href='#m'>1</a>2 bar.", "a^1 b\n\n1 2 bar."),
        ("<h1>A<div hidden>x</div></h1>y", "# A\n\ny"),
        ("<p hidden>x<p style='color:red; display: none'>x</p><b aria-hidden=true>x</b>y", "y"),
        ("<p style='visibility:hidden'>x</p><div hidden=until-found>y</div>", "y"),
        (
            "<button role=tab>A</button><button role=tab>B</button><div role=tabpanel>a</div>"
            "<div role=tabpanel hidden>b</div>",
            "A\n\nB\n\na\n\nb",
        ),
        ("<details><summary>Why?</summary>So.</details><button>Send</button>", "Why?\n\nSo."),
        ("<h3><button>Why?</button></h3>So.", "### Why?\n\nSo."),
        ("<button aria-expanded=false>Why?</button>So.", "Why?\n\nSo."),
        # Links to headings.
        ("<h2>A<span class=mw-editsection>[<a href=x>edit</a>]</span></h2>", "## A"),
        ("<h2>A<a href='#a'>¶<i hidden>x</i></a></h2><h2><a href='#b'>#</a> B", "## A\n\n## B"),
        ("<h2><a href='#c'>C</a></h2>", "## C"),
        # Banners, and sections that are only named like banners.
        ("<div class=cookie-banner>x<button>OK</button></div><div id=cookieConsent>x</div>y", "y"),
        ("<div role=dialog>x</div><dialog>x</dialog>y", "y"),
        ("<section id=cookie-notice><h2>Cookie notice</h2>y</section>", "## Cookie notice\n\ny"),
        # Links to other pages, and scripts.
        ("<h1>T</h1>y<p><a href=a>« Previous</a> | <a href=b>Next »</a>", "# T\n\ny"),
        ("<p>Next, turn.<p>Previous <a href=a>boats</a>.", "Next, turn.\n\nPrevious boats."),
        ("<a href='#main'>Skip to content</a><p>y", "y"),
        ("<p>y<footer><a href=a>About</a><p>© Ann</footer>", "y\n\n© Ann"),
    ],
)
def test_a_page_becomes_its_visible_content_without_navigation(page: str, markdown: str) -> None:
    assert read_html(page) == markdown


def test_links_before_the_first_heading_are_not_a_section() -> None:
    links = "<ul><li><a href=/a>Home</a> |<li><a href=/b>News</a></ul>"
    table = "<table><tr><td><a href=/a>Home</a><td><a href=/b>News</a></table>"
    body = "<h1>Boats</h1><p>Text.</p>"
    for menu in (links, table):
        assert read_html(f"{menu}<p>By Ann.</p>{body}{links}").startswith("By Ann.\n\n# Boats")
        assert "News" in read_html(f"{body}{menu}")
        assert "News" in read_html(menu), "a page of links has nothing else"
    contents = "<ul><li><a href='#care'>Care</a></ul>"
    assert "Care" in read_html(contents + body), "the document's own contents"


@pytest.mark.parametrize("tag", ["font", "div", "b", "blockquote", "ol", "ul><li", "table><tr><td"])
def test_deep_nesting_loses_nothing(tag: str) -> None:
    texts = re.findall(r"x\d+", read_html("".join(f"<{tag}>x{n} " for n in range(4_000))))
    assert texts == [f"x{n}" for n in range(4_000)]


@pytest.mark.parametrize(
    "page", ["<h1>x<p>y<h2>z", "<head><title>t<meta><p>x", "<li>x<td>y", "a\x00b", "<a href='<p>x"]
)
def test_broken_pages_are_read_as_far_as_possible(page: str) -> None:
    read_html(page)
    assert read_bytes(b"<p>y " + page.encode(), name="a", suffix=".html").text.startswith("y")


REPEATED: dict[str, Callable[[int], str]] = {
    **{
        part: lambda n, part=part: part * (n // len(part))  # type: ignore[misc]
        for part in (
            *("<a ", "<!--", "<!-- x ", '<a href="', "<![CDATA[", "<!DOCTYPE ", "<?x ", "<", "</"),
            *("&", "&#", "&lt;", "<script>", "<textarea>", "<div>", "<font>x", "<b><p>x", "\0"),
            *("<a><p>x", "<ul><li>x", "<table><tr><td>x", "<blockquote>x", "<p>x", "<h1>x", "</p>"),
            *("<pre>x\n", "<code>`", "<select><option>x", "<svg><math>", "<p> \n", "<b>x<i>"),
            *(
                "<ul class=lst-kix-1><li>x</ul>",
                "<ul class=lst-kix-0><li></ul><ul class=lst-kix-1>x",
            ),
            *("<dt>x<dd>y", "<b>x</b> ", "<table><tr><td colspan=1000>x</table>", "<td>x", "x<br>"),
        )
    },
    "attributes": lambda n: "<a " + " ".join(f"a{number}=1" for number in range(n // 8)),
    "items": lambda n: "<ol>" + "<li>x</li>" * (n // 10),
    "rows": lambda n: "<table>" + "<tr><td>a<td>b" * (n // 14),
    "a name": lambda n: "<" + "a" * n,
    "backticks": lambda n: "<pre>" + "`" * n,
}


@pytest.mark.parametrize("kind", REPEATED)
def test_reading_takes_linear_time(kind: str) -> None:
    check_linear(read_html, REPEATED[kind], 25_000)

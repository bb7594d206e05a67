"""A cut falls inside a line of code only if the line alone exceeds the limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import LayoutChunker, Source
from tests.profiles import examples

STATEMENTS = {
    "go": ["fmt.Println(x, 1)", "defer os. Exit(1)", 'return fmt.Errorf("bad. Thing: %w", err)'],
    "py": ["self.run(x, y)", 'print("It is. So: yes")', "return os.path. join(a, b)"],
    "js": ["console.log(x, y);", "return a.b.then(c => d. E(c));", 'send("Hi. Bye.", x);'],
    "java": ["System.out.println(x);", "list.stream(). Map(x -> y);", "return Math.max(a, b);"],
    "rb": ["puts x.to_s", "items.each. Map { |x| x.run }", 'raise "No. Never." if x.nil?'],
    "cs": ["Console.WriteLine(x, y);", "var a = b.C. D(e, f);", 'throw new E("Bad. Thing");'],
    "rs": ['println!("{}. Next", x);', "let y = x.iter(). Map(f);", "std::process::exit(1);"],
    "php": ["$this->run($x, $y);", 'echo "It is. So: yes" . $x;', "return $a->b()->c($d);"],
}
HEADS = {
    "py": ("def run{n}(x):", ""),
    "rb": ("def run{n}(x)", "end"),
    "go": ("func Run{n}(x int) error {{", "}}"),
    "rs": ("fn run{n}(x: i32) -> i32 {{", "}}"),
    "js": ("function run{n}(x) {{", "}}"),
    "php": ("function run{n}($x) {{", "}}"),
}


@pytest.mark.parametrize("suffix", STATEMENTS)
@examples(15)
@given(
    bodies=st.lists(
        st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=9),
        min_size=1,
        max_size=12,
    ),
    size=st.integers(16, 80),
    comment=st.sampled_from(["", "Runs the thing. It does. Much more than one would think"]),
)
def test_a_line_of_code_is_whole_unless_it_exceeds_the_limit(suffix, bodies, size, comment) -> None:
    head, tail = HEADS.get(suffix, ("public int run{n}(int x) {{", "}}"))
    mark = "#" if suffix in ("py", "rb") else "//"
    lines = []
    for n, body in enumerate(bodies):
        lines += [f"{mark} {comment}"] * bool(comment) + [head.format(n=n)]
        lines += ["\t" * (1 + depth) + STATEMENTS[suffix][kind] for depth, kind in body]
        lines += [tail.format(), ""]
    text = "\n".join(lines)
    chunker = LayoutChunker(chunk_size=size)
    source = Source(text, metadata={"source": f"a.{suffix}"})
    for span in chunker.segment(source).spans[1:]:
        begin = text.rfind("\n", 0, span.start) + 1
        line = text[begin:].partition("\n")[0]
        whole = not text[begin : span.start].strip()
        assert whole or chunker.counter.count([line])[0] > size, (line, span)

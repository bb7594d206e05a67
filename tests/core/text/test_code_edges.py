"""Where chunks of code begin and end: with comments and signature, never with a brace, at lines."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lumber_core import Delivery, GreedyChunker, LayoutChunker, Source
from lumber_core.text.places import find_places
from tests.profiles import examples

_CONTINUED = re.compile(
    r"[{}:]|\*/|;;|esac|(?:where|throws|else|catch|elsif|rescue|RETURNS|AS|ELSE|ELSIF|END|EXCEPTION)\b"
)
NAMES = ("priceOf", "depositOf", "fineOf", "refundOf")

# A method in each language; `#FIRST` marks the line that its chunk may begin with.
METHODS = {
    "C#": """
    /// <summary>Returns a price.</summary>  #FIRST
    [HttpGet("{id}/[controller]")]
    [Authorize(
        Roles = "crew")]
    public decimal NAME(Boat boat, int hours)
    {
        if (tides.IsHigh())
        {
            price += boat.Surcharge;
        }
        else
        {
            price -= 1;
        }
    }
""",
    "PL/SQL": """
-- Returns a price.  #FIRST
CREATE OR REPLACE FUNCTION NAME(hours IN NUMBER)
    RETURN NUMBER
IS
    price NUMBER := 0;
BEGIN  #SIGNATURE
    IF hours > 3 THEN
        price := 3;
    ELSIF hours > 2 THEN
        price := 2;
    ELSE
        price := 1;
    END IF;
    RETURN price;
EXCEPTION
    WHEN OTHERS THEN
        RETURN 0;
END NAME;
""",
    "Bash": """
# Returns a price.  #FIRST
NAME()
{
    case "$1" in
        high)
            price=3
            ;;
        *)
            price=1
            ;;
    esac
    echo $price
}
""",
    "Java": """
    @Override  #FIRST
    @GetMapping(
        value = "/hire(/{id}"
    )
    public double NAME(Boat boat, int hours)
        throws TideException
    {
        try
        {
            price += tide();
        }
        catch (TideException e)
        {
            price = 0;
        }
    }
""",
    "PHP": """
    #[Route('/hire/{id}', name: 'NAME')]  #FIRST
    public function NAME(
        Boat $boat
    ): float
    {
        foreach ($this->tides as $tide)
        {
            $price += $tide->extra;
        }
    }
""",
    "C++": """
/*  #FIRST
 * Returns a price.
 */
template <typename T>
static inline T
NAME(const Boat &boat, T hours)
    : rate_(hours),
      extra_(0)
{
    for (int i = 0; i < hours; ++i)
    {
        price += i;
    }
    return price;
}
""",
    "JavaScript": """
// Returns a price.  #FIRST
async function NAME(boat, hours)
{
  if (isHigh(boat))
  {
    price += boat.surcharge;
  }
}
""",
    "TypeScript": """
@Component({  #FIRST
  selector: 'NAME',
})
export class NAME
{
  constructor(private boat: Boat)
  {
    this.price = 1;
  }
  get rate(): number
  { return this.price; }
}
""",
    "Rust": """
/// Returns a price.  #FIRST
#[inline]
pub fn NAME<T>(boat: &Boat, hours: T) -> T
where
    T: Mul<Output = T> + Copy,
{
    match price
    {
        0 => price,
        _ => price + 1,
    }
}
""",
    "SQL": """
-- Returns a price.  #FIRST
CREATE FUNCTION NAME(
    boat INT
)
RETURNS INT
LANGUAGE plpgsql
AS $$
BEGIN
    SELECT rate * hours FROM boats;
    UPDATE tides SET high = true;
    RETURN price;
END;
$$;
""",
    "Elixir": """
  @doc \"\"\"  #FIRST
  Returns a price (in euros.

  Of one boat.
  \"\"\"
  @spec NAME(Boat.t(), integer()) :: float()
  def NAME(%Boat{} = boat, hours) when hours > 0 do  #SIGNATURE
    case height() do
      nil -> base
      height -> base + height
    end
  end
""",
    "Visual Basic": """
    \'\'\' <summary>Returns a price.</summary>  #FIRST
    <Obsolete("old")>
    Public Function NAME(
        boat As Boat,
        hours As Integer) As Decimal  #SIGNATURE
        If tides.IsHigh() Then
            price += boat.Surcharge
        Else
            price -= 1
        End If
    End Function
""",
    "Perl": """
=head2 NAME  #FIRST

Returns a price.

=back

=cut

sub NAME  #SIGNATURE
{
    my ($self, $boat) = @_;
    if ($self->{tides}->is_high) {
        $boat->{rate} += 1;
    }
    return $boat->{rate};
}
""",
    "PowerShell": """
<#  #FIRST
.SYNOPSIS
Returns a price.
.PARAMETER Hours

Hours of hire.
#>
function NAME {  #SIGNATURE
    [CmdletBinding()]
    param
    (
        [int]$Hours
    )
    process {
        $Hours * 2
    }
}
""",
    "Erlang": """
%% Returns a price.  #FIRST
-spec NAME(boat(), integer()) -> float().
NAME(Boat, Hours) when Hours > 0 ->  #SIGNATURE
    case height() of
        high -> Hours + 1;
        _ -> Hours
    end.
""",
    "F#": """
/// Returns a price.  #FIRST
[<Obsolete("old")>]
let NAME (boat: Boat) (hours: int) : float =  #SIGNATURE
    let price = boat.Rate * float hours
    price + 1.0
""",
    "R": """
#' Returns a price  #FIRST
#' @param boat the boat
#' @export
NAME <- function(boat, hours) {  #SIGNATURE
  if (high()) {
    price <- price + 1
  }
  price
}
""",
    "Kotlin": """
    /** Returns a price. */  #FIRST
    @Throws(TideException::class)
    suspend fun NAME(
        boat: Boat,
        hours: Int = 3,
    ): Double {
        return boat.rate * hours
    }
""",
    "TypeScript with overloads": """
/** Returns a price. */  #FIRST
export function NAME(boat: Boat): number;
export function NAME(boat: Boat, hours: number): number;
export function NAME(boat: Boat, hours = 1): number {
  return boat.rate * hours;
}
""",
    "PL/pgSQL": """
-- Returns a price.  #FIRST
CREATE PROCEDURE NAME(boat INT)
LANGUAGE plpgsql
AS $$
DECLARE
    price NUMERIC;  #SIGNATURE
BEGIN
    SELECT rate INTO price FROM boats WHERE id = boat;
END;
$$;
""",
    "Solidity with modifiers below": """
/// @notice Returns a price.  #FIRST
function NAME(uint256 boat)
    external
    onlyOwner
    returns (uint256)
{
    return boats[boat].rate;
}
""",
    "C of before 1989": """
/* Returns a price. */  #FIRST
int NAME(boat, hours)
    int boat;
    int hours;
{
    return boat * hours;
}
""",
    "C++ with an attribute above": """
// Returns a price.  #FIRST
[[nodiscard]] virtual double
NAME(const Boat& boat) const override
{
    return boat.rate;
}
""",
    "C++ with a type above": """
// Returns a price.  #FIRST
template <typename T>
T
Hire<T>::NAME(const Boat& boat) const
{
    return boat.rate;
}
""",
    "Go": """
// NAME returns a price.  #FIRST
func NAME(
	boat Boat,
) (price int) {
	if high() {
		price += boat.Surcharge
	}
	return price
}
""",
}


# In these languages few lines look like code; the names of the files give the format.
KNOWN_BY_NAME = ("Bash", "Elixir", "Erlang", "F#", "Kotlin", "PowerShell", "R", "Visual Basic")


def code_of(language: str) -> str:
    methods = "".join(METHODS[language].replace("NAME", name) for name in NAMES)
    opening = "class Hire\n{\n" if language in ("C#", "Java", "PHP") else ""
    return opening + methods + "}\n" * bool(opening)


@pytest.mark.parametrize("language", METHODS)
def test_a_method_begins_with_its_comments_and_decorators(language: str) -> None:
    marked = code_of(language)
    lines = marked.splitlines()
    text = marked.replace("  #FIRST", "").replace("  #SIGNATURE", "")
    found = find_places(text, whole=language in KNOWN_BY_NAME)
    places = {text.count("\n", 0, place.offset) for place in found}
    firsts = [number for number, line in enumerate(lines) if line.endswith("#FIRST")]
    assert places.issuperset(firsts[1:])
    for first in firsts[1:]:
        end = next(n for n in range(first, len(lines)) if re.search("#SIG|BEGIN|{( |$)", lines[n]))
        assert not places.intersection(range(first + 1, end + 1)), lines[first : end + 1]


@pytest.mark.parametrize("form", ["code", "text", "markdown"])
@pytest.mark.parametrize("language", METHODS)
def test_chunks_do_not_begin_with_a_brace(language: str, form: str) -> None:
    code = code_of(language).replace("  #FIRST", "").replace("  #SIGNATURE", "")
    if form == "text" and language in KNOWN_BY_NAME:
        form = "code"
    text = code if form != "markdown" else f"# Hire\n\nThe prices:\n\n```\n{code}```\n"
    for size in range(15, 121, 10):
        chunks = LayoutChunker(size).split(Source(text, format=form), Delivery(trim=True))
        assert not [chunk.text for chunk in chunks if _CONTINUED.match(chunk.text)], size


@pytest.mark.parametrize("language", METHODS)
def test_greedy_cuts_code_at_places_of_layout(language: str) -> None:
    text = code_of(language).replace("  #FIRST", "").replace("  #SIGNATURE", "")
    text = text.replace("Returns a price.", "Returns a price. It may rise.")
    places = {*find_places(text, whole=True).offsets}
    for size in (20, 40, 80):
        spans = GreedyChunker(size, chunk_size=None).segment(Source(text, format="code")).spans
        assert {span.start for span in spans[1:]} <= places


@pytest.mark.parametrize(
    "records",
    [
        '[\n{\n  "boat": 1\n},\n{\n  "boat": 2\n}\n]\n',
        '{\n  "boat": 1\n}\n{\n  "boat": 2\n}\n',
        "{ Hires. }\nprocedure Hire;\nbegin\nend;\n\n{ Fires. }\nprocedure Fire;\nbegin\nend;\n",
        "all = [\n{ rate: 1 }\n\t,\n{ rate: 2 }\n];\n",
        "all = [\n  { rate: 1 },\n  null,\n  { rate: 2 },\n  { rate: 3 }\n];\n",
        "var all = []Boat{\n\t{\n\t\tRate: 1,\n\t},\n\t{\n\t\tRate: 2,\n\t},\n}\n",
    ],
)
def test_a_brace_that_begins_a_value_of_a_list_or_a_comment_begins_a_place(records: str) -> None:
    second = records.index("{", records.index("}"))
    assert records.rindex("\n", 0, second) + 1 in {place.offset for place in find_places(records)}


def test_lines_above_a_blank_line_and_a_brace_are_not_a_signature() -> None:
    text = "for boat in boats:\n    wash(boat)\n    dry(boat)\n\n{ print(boats) }\n"
    assert text.index("    dry") in find_places(text, whole=True).offsets


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
        starts_line = not text[begin : span.start].strip()
        assert starts_line or chunker.counter.count([line])[0] > size, (line, span)


@pytest.mark.parametrize("name", ["Hire.sol", "hire.psm1", "hire.tf"])
def test_code_is_recognised_by_the_name_of_its_file(name: str) -> None:
    assert Source("hire", metadata={"source": name}).kind == "code"

"""Answers in six languages are read as people read them, or asked again."""

import pytest

from lumber_core.lumber.answer_parser import read_answer, read_list
from lumber_core.segmentation import ParsedAnswer
from tests.phrases import phrases

CHOICES = range(1, 12)
FOUND = phrases("""
    Answer: ID {n} | The answer is ID {n}. | **Answer:** paragraph {n} | {{"answer": "ID {n}"}}
    {{"paragraph_id": {n}}} | ID {n} | Answer: ID {n} opens a new scene.
    Answer: ID {n}, as ID 4 ends the trial. | Answer: ID {n} Bees and hives from there on.
    回答：ID {n}です。 | La respuesta correcta es ID {n}. | Svaret är ID {n}. | 答案为ID {n}。
    Answer: the paragraph with ID {n} | Answer: ID 3. Correction: ID {n}
    $\\boxed{{\\text{{ID {n}}}}}$ | Answer: ID 3. Wait, actually {n}.
    Answer: ID 3. Hmm, no, the shift is at ID {n}.
    <function=answer><parameter=id>{n}</parameter></function>
    Antwort: ID 3. Moment, eigentlich ID {n}. | Réponse : ID 3. Non, plutôt ID {n}.
    Respuesta: ID 3. Perdón, quise decir ID {n}. | 答案：ID 3。不对，应该是ID {n}。
    Answer: ID 3, or rather ID {n} | Svar: ID 3, nej, ID {n} | Risposta: ID 3, anzi ID {n}
    Ответ: ID 3. Нет, точнее ID {n}. | 回答：ID 3。いや、正しくは ID {n} です。
    The content shifts at ID {n}. | At ID {n}, a new scene begins.
    A new topic starts with ID {n}, in Paris. | The first turn is at paragraph {n}.
    ID {n}, not ID 9 | I'd say ID {n} changes the scene. | Antwort: ID {n}
    Der Inhalt wechselt bei ID {n}. | Bei ID {n} beginnt ein neues Thema.
    Ab Absatz {n} ändert sich das Thema. | Réponse : ID {n} | Le contenu change à l'ID {n}.
    Un nouveau sujet commence au paragraphe {n}. | La réponse est ID {n}.
    The turn comes right after ID 4, at ID {n}. | Nach ID 4 wechselt das Thema: bei ID {n}.
    ID {n} begins a new section because ID 4 ended the trial. | Antwort: Absatz {n}
    Answer: probably ID {n} | 答案是ID {n}。 | الإجابة هي ID {n}. | Respuesta: ID {n}
    El contenido cambia en ID {n}. | En el párrafo {n} empieza un tema nuevo.
    La respuesta es ID {n}. | Risposta: ID {n} | Resposta: ID {n} | Antwoord: ID {n} | Ответ: ID {n}
    답: ID {n} | 答案：ID {n} | 内容从ID {n}开始转变。 | 从第{n}段开始新的话题。 | 回答: ID {n}
    答え：ID {n} | 内容はID {n}から変わります。 | ID {n}で新しい話題が始まります。 | 回答：ID {n}
    ✅ ID {n} | Answer: It's ID {n}. | Answer (ID): {n} | Answer ID: {n} | Antwort: Nr. {n}
    Réponse : n° {n} | La réponse est l'ID {n}. | Respuesta: el párrafo con ID {n} | उत्तर है ID {n}
    【答案】ID {n} | 答案：ID 3，不对，是 ID {n}。 | Ответ: абзац {n} | Answer: ~~ID 3~~ ID {n}
    <result>ID {n}</result> | {{"first_shift": {n}}} | {{"action": "x", "action_input": "ID {n}"}}
    {{"function": {{"name": "answer", "arguments": "{{\\"id\\": {n}}}"}}}}
    {{"functionCall": {{"name": "answer", "args": {{"id": {n}.0}}}}}}
    <｜DSML｜parameter name="id" string="false">{n}</｜DSML｜parameter>
    <paragraph_id>{n}</paragraph_id> | Answer\u200b: ID {n} | answer(paragraph_id={n})
    Conclusion: ID {n} | Antwort: «ID {n}» | 정답은 ID {n}입니다. | ID {n} です。
    Therefore, ID {n} is the correct answer.
    {{"first_shift_id": {n}, "last_shift_id": 9}} | {{"Absatz": {n}}} | {{"paragraphNumber": {n}}}
    {{"": {n}}} | {{"chunk_start": {n}}} | {{"split": {n}}} | paragraph_id: {n}
    {{"paragraph_no": {n}}} | {{"target_paragraph": {n}}} | After ID 3, ID {n} begins a new topic.
""")
OPEN = phrases("""
    Answer: none before ID {n} | Answer: no change until ID {n} | Answer: No, ID {n}.
    Answer: None (until ID {n}) | Respuesta: ninguno antes de ID {n} | Antwort: keine bis ID {n}
    Answer: ID {n}. Edit: on reflection it's none. | Answer: ID {n} 2 | Should I answer ID {n}?
    Answer: ID 3, my mistake: ID {n} | Respuesta: ID 3, disculpa, ID {n} | Answer: ID 3..{n}
    Answer: no turn at ID {n} | Respuesta: no es el ID {n} | Trả lời: không phải ID {n}
    Do you mean the first turn after ID 0, or the turn at ID {n}?
    {{"confidence": {n}}} | {{"last_id": {n}}} | {{"lastShiftId": {n}}} | {{"shifts": {n}}}
    {{"page": {n}}} | {{"error": "unclear", "id": {n}}} | {{"num_paragraphs": {n}}}
    {{"scene": {n}, "page": 2}}
    Answer: ID {n} + 1 | <last_id>{n}</last_id> | <last>ID {n}</last>
    <parameter name="confidence">{n}</parameter> | Answer: ID {n}, or "none" if boats count
    Answer: ID {n}, otherwise none | <arg_key>confidence</arg_key><arg_value>{n}</arg_value>
""")
DENIED = phrases("""
    ID {n} ❌ | ID {n} ✗ | Answer: ID {n} stays with boats.
    {{"is_shift": "no", "id": {n}}} | ID {n}? | ID {n} comes closest to a turn.
    ID {n} begins with other words, but the topic persists.
    {{"answer": "ID {n} stays with boats"}} | ID {n} seems to change the scene, but tells of boats.
    Svar: ID {n} börjar inte något nytt. | Niemand würde ID {n} einen Wechsel nennen.
    Antwort: ID {n} bleibt beim Thema. | Réponse : ID {n} reste sur le sujet.
    Cevap: ID {n}'te konu değişmiyor. | 答案：ID {n}與前文相同，無變化。 | उत्तर: ID {n} वही विषय है।
    Ответ: ID {n} продолжает тему. | Respuesta: ID {n} sigue con los barcos.
    Risposta: ID {n} resta in tema. | Between ID 2 and ID {n} the content stays the same.
    I see little change in ID {n}. | Only if ID {n} counted would there be a change.
    Answer: ID {n} would be wrong. | {{"shift": false, "id": {n}}} | Nessun cambiamento in ID {n}.
    Não há mudança entre ID 2 e ID {n}. | De inhoud verandert niet bij ID {n}.
    Brak zmiany tematu przy ID {n}. | Содержание не меняется в ID {n}.
    ID 2와 ID {n} 사이에 변화가 없습니다. | The change at ID {n} is cosmetic.
    Answer: ID 3. Wait, is it ID {n}? No. | Le changement pourrait se situer à l'ID {n}.
    Das Thema könnte bei ID {n} wechseln. | ID {n}可能开始了新的话题。
    There is no shift between ID 2 and ID {n}.
    No clear shift: all paragraphs, from ID 2 to ID {n}, are about boats.
    Nothing changes at ID {n}. | ID {n} isn't a new topic. | ID 2 to ID {n} all tell of boats.
    Neither ID 2 nor ID {n} starts anything new. | I don't see that ID {n} turns anywhere.
    There is no shift. ID 2 begins with boats, and ID {n} ends with them.
    Answer: ID {n} is not a shift. | Answer: not ID {n} | Answer: there is no change up to ID {n}.
    Answer: ID {n} doesn't start a topic. | 答案不是ID {n}。 | Antwort: nicht Absatz {n}
    The content turns after ID {n}. | Nach ID {n} wechselt das Thema. | ID {n}之后内容变了。
    The first part ends with ID {n}, then a new scene begins. | Le sujet change après ID {n}.
    ID {n} is the last one before the shift. | Paragraphs 2 to {n} belong together.
    A shift at ID {n} would be too early. | The text goes on without a turn until ID {n}.
    Zwischen ID 2 und ID {n} wechselt der Inhalt nicht. | Kein Wechsel bei ID {n}.
    Antwort: ID {n} ist kein neues Thema. | Von ID 2 bis ID {n} geht es um Boote.
    Il n'y a pas de changement entre ID 2 et ID {n}. | Aucun changement à l'ID {n}.
    Réponse : ID {n} n'est pas un nouveau sujet. | De l'ID 2 à l'ID {n}, tout parle de bateaux.
    No hay ningún cambio entre ID 2 e ID {n}. | El tema no cambia en ID {n}.
    Respuesta: ID {n} no es un tema nuevo. | De ID 2 a ID {n} se habla de barcos.
    ID 2和ID {n}之间没有转变。 | 内容在ID {n}没有变化。 | 答案：ID {n}不是新的话题。
    从ID 2到ID {n}都在讲船。 | ID 2からID {n}まで話題は変わりません。
    ID {n}で新しい話題は始まらない。 | 答え：ID {n}は新しい話題ではありません。
    ID 2もID {n}も船の話です。
""")
REFUSED = phrases("""
    Sorry, ID {n} starts violent content. | I must decline: ID {n} changes to violence.
    Mi dispiace, non posso leggere ID {n}. | Извините, я не могу помочь с ID {n}.
    I'm sorry, but I can't help with ID {n}, because it is violent.
    I cannot assist with ID {n}, where it begins.
    I am unable to say whether ID {n} starts a new scene.
    Discussing the change in ID {n} is against my guidelines.
    Es tut mir leid, bei ID {n} beginnt Gewalt, dabei kann ich nicht helfen.
    Je suis désolé, je ne peux pas lire ID {n}. | Lo siento, no puedo ayudar con ID {n}.
    抱歉，我无法处理ID {n}。 | 申し訳ありませんが、ID {n}には答えられません。
""")
NONE = phrases("""
    Answer: none | none | Answer: None of them. | {{"answer": null}} | Antwort: keine
    Réponse : aucun | None of the paragraphs. | Kein Wechsel. | Nothing changes.
    Respuesta: ninguno | 答案：无 | 答え：なし | Answer: no shift between ID 2 and ID {n}.
    Answer: none (ID {n} comes close) | Answer: Not applicable | उत्तर: कोई नहीं | 該当なし | 없습니다
    No shift. | {{"has_shift": false, "id": null}} | Ответ: ни один | Cevap: hiçbiri | پاسخ: هیچ
    Trả lời: không | Jawaban: tidak ada | Відповідь: немає | Απάντηση: κανένα | תשובה: אין
""")
AROUND = {
    "alone": "{}",
    "after a thought": "<think>ID 2? Answer: ID 3.</think>\n{}",
    "after Magistral's": "[THINK]Perhaps ID 2 changes.[/THINK]{}",
    "before a thought": "{}\n<thought>Or does ID 2 change",
    "in gpt-oss's channel": "<|channel|>analysis<|message|>ID 2 turns<|end|>"
    "<|start|>assistant<|channel|>final<|message|>{}",
    "with words before": "Boats are in all of them.\n\n{}",
    "with words behind": "{}\n\nHave a good day.",
    "in bold": "**{}**",
    "quoted": "> {}",
}


def cases(phrases: list[str]) -> list[tuple[str, str, int]]:
    return [
        (around.replace("{}", phrase.format(n=unit)), phrase, unit)
        for phrase in phrases
        for around in AROUND.values()
        for unit in (1, 6, 11)
    ]


def read_unit(answer: str) -> ParsedAnswer:
    return read_answer(answer, CHOICES)


def test_answers_that_name_a_unit_are_read_or_asked_again() -> None:
    asked_again = set()
    for answer, phrase, unit in cases(FOUND):
        parsed = read_unit(answer)
        if parsed.outcome == "shift":
            assert parsed.starts == (unit,), answer
        else:
            assert parsed.outcome == "unreadable", answer
            asked_again.add(phrase)
    assert not asked_again


@pytest.mark.parametrize("phrases", [DENIED, REFUSED, NONE], ids=["denied", "refused", "none"])
def test_denied_and_refused_units_are_not_read_as_starts(phrases: list[str]) -> None:
    allowed = {"refused", "unreadable"} if phrases is REFUSED else {"no_shift", "unreadable"}
    wrong = {answer: read_unit(answer) for answer, *_ in cases(phrases)}
    assert {
        answer: reading for answer, reading in wrong.items() if reading.outcome not in allowed
    } == {}
    for answer, *_ in cases(phrases):
        assert read_list(answer, CHOICES).outcome != "shift", answer


def test_answers_that_leave_the_unit_open_are_asked_again() -> None:
    read_so = {
        phrase for answer, phrase, _ in cases(OPEN) if read_unit(answer).outcome != "unreadable"
    }
    assert read_so == set()


def test_an_id_in_prose_is_reported_as_prose() -> None:
    assert read_unit("The content shifts at ID 6.").reason == "the ID in prose names 6"


ITEMS = [
    *("{}: the harbour; {}: the trial", "{} - the harbour\n{} - the trial"),
    *("{} (the harbour), {} (the trial)", "{}: the harbour, {}: the trial"),
    *("- {}: the harbour\n- {}: the trial", "{} \u2013 harbour; {} \u2013 trial."),
    *("{}\uff1a港口\uff1b{}\uff1a审判", "{}\u3001{}", "{} und {}", "{} et {}", "{} y {}", "{}\n{}"),
    *("{} => a\n{} => b", "{}和{}", "{}: a & {}: b", "{} [boats], {} [bees]"),
    *('[{{"id": "{}"}}, {{"id": "{}"}}]', "{} | {}", "{}, then {}"),
    *("{} \u2192 a, and finally {} \u2192 b", "+ {}\n+ {}"),
    *("| ID | Topic |\n|---|---|\n| {} | harbour |\n| {} | trial |", "{}\u060c {}"),
    *("| # | ID | Topic |\n|---|---|---|\n| 1 | {} | harbour |\n| 2 | {} | trial |", "• {} • {}"),
    *("{} ve {}", "{} và {}", "{} i {}", "* **{}**: the harbour\n* **{}**: the trial"),
    *("{} \u2192 harbour\n{} \u2192 trial", '{{"paragraphIDs": ["{}", "{}"]}}'),
    '{{"ids": ["{}", "{}"], "starts": ["a", "b"]}}',
]


@pytest.mark.parametrize("items", ITEMS)
@pytest.mark.parametrize("label", ["ID {}", "{}", "[ID {}]", "paragraph_id {}"])
@pytest.mark.parametrize("before", ["", "Answer: ", "Answer:\n", "<think>ID 3</think>Antwort: "])
def test_items_with_remarks_are_all_read_or_asked_again(items: str, label: str, before: str):
    parsed = read_list(before + items.format(label.format(4), label.format(7)), CHOICES)
    if "[" not in label:
        assert (parsed.outcome, parsed.starts) == ("shift", (4, 7))
    else:
        assert parsed.starts in {(), (4, 7)}


@pytest.mark.parametrize(
    "answer",
    [
        *("Answer: ID 4: not a start; ID 7: a start", "Answer: ID 4, ID 7 are not starts"),
        *("Answer: ID 4 bis ID 7", "Answer: ID 4 (in 1850), ID 7"),
        *("2 shifts found.", "Answer: 3 shifts", "[[2, 4], [5, 7]]", '{"last_ids": [3, 6]}'),
        *('{"confidence": [4, 7]}', "The parts end at ID 3, ID 6."),
        *("Answer: ID 4: see ID 2, ID 7: bees", "ID 4: maybe 1850\nID 7: bees"),
        *("ID 4: new topic\nID 5: same topic", "ID 4: neues Thema\nID 5: Fortsetzung"),
        "ID 4：新\nID 5：继续",
        "The starts are ID 4 and ID 7.\n\nNone of them is clear.",
        "3: boats\n4: oars\n5: sails",
    ],
)
def test_lists_that_deny_or_are_cut_by_numbers_are_asked_about_again(answer: str) -> None:
    assert read_list(answer, CHOICES).outcome == "unreadable"


def test_an_answer_on_each_line_is_a_list() -> None:
    assert read_list("Answer: ID 4\nAnswer: ID 7", CHOICES).starts == (4, 7)
    assert read_list("Answer: ID 4\nOr rather:\nAnswer: ID 7", CHOICES).starts == (7,)

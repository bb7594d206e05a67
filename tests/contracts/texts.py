"""The texts on which every splitter must keep the contracts."""

_STORY = (
    "The ferry came in at dawn. Nobody was waiting for it.\n\n"
    "Ada read the ledger twice. The sums were wrong, and she knew whose hand had made them. "
    "She closed it again.\n\n"
    "In the valley they had begun to cut the wheat. Carts stood in the lane.\n\n"
)

TEXTS: dict[str, str] = {
    "one character": "a",
    "white space only": " \n\n\t \n",
    "one paragraph": "The ferry came in at dawn. Nobody was waiting for it. Gulls cried.",
    "several paragraphs": _STORY,
    "no newline": "The ferry came in. Nobody waited. " * 20,
    "CR LF": _STORY.replace("\n", "\r\n") * 4,
    "hard-wrapped": "The ferry came in at\ndawn. Nobody was\nwaiting for it.\n\nAda read\nit.\n"
    * 9,
    "single newlines": "\n".join(["Ada read the ledger.", "The sums were wrong."] * 15),
    "form feeds": "Page one ends.\f\nPage two begins here. It ends.\n\f\nPage three." * 5,
    "byte order mark and blank edges": "\ufeff\n\n  " + _STORY + "\n\n \n",
    "CJK": "渡し船は夜明けに着いた。誰も待っていなかった。\n\n帳簿を二度読んだ。合計が違う。\n\n"
    * 12,
    "CJK without breaks": "渡船在黎明时分到达没有人在等它她把账本读了两遍" * 20,
    "emoji and combining marks": "👨‍👩‍👧‍👦 e\u0301t🏳️‍🌈 na\u0308h. 🇨🇭🇨🇭 ok! " * 15 + "\n\n👍🏽" * 10,
    "right to left": "وصلت العبارة عند الفجر. لم يكن أحد في انتظارها.\n\nקראה את הספר פעמיים.\n\n"
    * 6,
    "Thai": "รถไฟกลางคืนออกจากอาโรซาเวลาสิบนาฬิกาไม่มีใครโบกมือ" * 10,
    "Hindi": "रात की रेलगाड़ी दस बजे अरोसा से निकली। मंच पर किसी ने हाथ नहीं हिलाया।\n\n" * 6,
    "table": "id,name,price\n" + "".join(f"{n},part {n},{n * 7}.50\n" for n in range(40)),
    "JSON": '{"rows":[' + ",".join(f'{{"id":{n},"ok":true}}' for n in range(50)) + "]}",
    "log": "".join(f"2026-03-01T10:{n % 60:02}:00Z WARN pump {n} slow\n" for n in range(25)),
    "zero-width characters": "a\u200bb\ufeffc\u2060 d.\n\n" * 40,
    "repeated text": "Again and again.\n\n" * 30,
    "one 1,000-word paragraph": "The carts stood in the lane and " * 167,
    "no spaces": "abcdefghij" * 100,
    "special tokens": "<|endoftext|>ID 7: Answer: ID 3\n\n<|fim_prefix|> </paragraphs>\n\n" * 10,
    "nulls and lone surrogates": "a\x00b. \ud83d C.\n\nD\udc00 e. \x1f F.\n\n" * 12,
    "unbalanced fences": "```\ncode\n\n| a | b |\n\n```\n```\n\n> quote\n\n" * 12,
}

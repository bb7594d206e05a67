"""What the splitters stand on and no text passes: stores, threads, forks, secrets, identities.

`database` opens SQLite files, `cache` keeps values in them, `concurrency`, `deadlines` and `forks`
run calls, `identity` names what determines a result, `secrets` keeps keys out of messages,
`wording` says numbers with their nouns, and `extras` imports optional packages.
"""

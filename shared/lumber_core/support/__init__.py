"""What every package uses: identities, secrets, optional packages and wording.

`identity` makes cache keys from all that determines a result, `secrets` keeps credentials out of
messages, `extras` imports optional packages, and `wording` writes numbers with their nouns and
tables.
"""

"""What every package uses: identities, secrets, optional packages and wording.

`identity` names what determines a result, `secrets` keeps keys out of messages, `extras` imports
optional packages, and `wording` writes numbers with their nouns.
"""

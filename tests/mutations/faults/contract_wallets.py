"""Wallets that are contracts: whose word is taken for what."""

from tests.mutations.planting import Fault

ASKED, CLAIMS = "tests/live/test_contract_wallets.py", "tests/live/test_contract_claims.py"
PROOFS = "tests/live/test_contract_proofs.py"

FAULTS = (
    Fault(
        "one_nodes_word_of_a_contract",
        "Both nodes must say that a wallet's contract takes a signature.",
        "chains/clients/agreement.py",
        "    return second is first\n",
        "    return True\n",
        (f"{ASKED}::test_both_nodes_must_say_the_same",),
    ),
    Fault(
        "a_signature_that_changes_the_wallet_first",
        "A wallet that stands is asked as it is.",
        "chains/clients/evm_wallets.py",
        "    if bytes(node.web3.eth.get_code(_checksum(asked.wallet), node.head)):\n",
        "    if not wrapped.factory and bytes(node.web3.eth.get_code(_checksum(asked.wallet), node.head)):\n",
        (f"{ASKED}::test_a_wallet_that_stands_is_asked_as_it_is_whatever_the_wrapping_would_do_first",),
    ),
    Fault(
        "any_answer_of_a_contract",
        "Yes is one word, to the byte.",
        "chains/clients/evm_wallets.py",
        "        return _answer(node, asked, question) == VALID and",
        "        return bool(_answer(node, asked, question)) and",
        (f"{ASKED}::test_an_odd_contract_says_yes_by_nothing_but_the_word_for_it",),
    ),
    Fault(
        "a_contract_elsewhere",
        "A contract has a say only on the chains on which it paid, and on the one where it is to be paid.",
        "refunds/services/contract_word.py",
        "        chains = sorted({*chains, refund.chain})\n",
        "        chains = sorted({*chains})\n",
        (f"{CLAIMS}::test_the_same_address_elsewhere_has_no_say",),
    ),
    Fault(
        "a_contract_paid_elsewhere",
        "A contract vouches for what it paid on each chain on which it paid.",
        "refunds/services/contract_word.py",
        "    chains, refund = chains_paid_on(claim.refund.intent_id, claim.wallet), claim.refund\n",
        "    chains, refund = [claim.refund.chain], claim.refund\n",
        (f"{CLAIMS}::test_the_same_address_elsewhere_has_no_say",),
    ),
    Fault(
        "a_contract_beyond_its_share",
        "A contract's word says who it is, and not what it paid.",
        "refunds/services/claim.py",
        "    _refuse_unless_open(waiting, claim)\n    _refuse_stranger(waiting, claim)\n",
        "    _refuse_unless_open(waiting, claim)\n",
        (f"{CLAIMS}::test_it_claims_what_it_paid_and_no_more",),
    ),
    Fault(
        "silence_is_a_word",
        "What nobody could say is no yes.",
        "refunds/services/contract_claims.py",
        "    if row.word != Word.YES:\n",
        '    if row.word == "":\n',
        (f"{CLAIMS}::test_what_it_did_not_sign_moves_nothing",),
    ),
    Fault(
        "a_contract_proves_every_chain",
        "A contract proves an address on its own chain alone.",
        "payments/services/settlement.py",
        'profile.proven_on in {"", settlement.chain}',
        "profile is not None",
        (f"{PROOFS}::test_a_contract_proves_its_address_on_its_chain",),
    ),
    Fault(
        "a_contracts_proof_moves_along",
        "Another chain has another contract.",
        "payments/services/settlement_effect.py",
        ' or profile.proven_on not in {"", after["chain"]}',
        "",
        (f"{PROOFS}::test_another_chain_has_another_contract",),
    ),
    Fault(
        "coin_to_a_contract_that_takes_none",
        "Where a chain's own coin may settle, it is taken.",
        "chains/clients/evm_wallets.py",
        " and (not asked.with_coin or _takes_coin(node, asked))",
        "",
        (f"{PROOFS}::test_a_contract_that_takes_no_coin_is_not_proven",),
    ),
    Fault(
        "a_proof_of_what_was_replaced",
        "What is proven is what stands when the contract answers.",
        "payments/services/settlement_proof.py",
        "    if profile is None or (profile.address, [profile.chain]) != (row.wallet, row.chains):\n",
        "    if profile is None:\n",
        (f"{PROOFS}::test_an_address_that_was_changed_meanwhile_is_not_proven",),
    ),
)

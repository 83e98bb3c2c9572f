"""What is taken on record without a curator, and what waits for one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AcceptPolicy:
    """How much of a difference is accepted at once; confirmations always are.

    **Shapes**: ``share_held_above`` is the share of a rule's statements on record that may be
    added or changed; above it every difference of the rule waits. ``any_gone_held`` makes each
    statement wait that is no longer there, ``any_reversal_held`` each "yes" that became a "no" or
    the other way round. ``first_held`` makes the first reading of a rule wait as well.
    """

    share_held_above: float = 0.15
    any_gone_held: bool = True
    any_reversal_held: bool = True
    first_held: bool = False

    @property
    def accepts_everything(self) -> bool:
        """Whether nothing ever waits under this policy."""
        holds = self.any_gone_held or self.any_reversal_held or self.first_held
        return self.share_held_above >= 1 and not holds


# Of a folder that an operator names, and of a back-fill that says so: its word is the decision.
ACCEPT_EVERYTHING = AcceptPolicy(
    share_held_above=float("inf"), any_gone_held=False, any_reversal_held=False
)

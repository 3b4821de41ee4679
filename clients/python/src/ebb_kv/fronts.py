"""The chunks before those that an engine looks up, as far as earlier lookups have shown them."""

from __future__ import annotations

from typing import Dict, List, Sequence


class Fronts:
    """Completes lookups that begin in the middle of a prompt.

    An engine may only ask for the chunks that its own memory lacks. Without the chunks before these, a server would
    take the first one for the beginning of a prompt.
    """

    # The chunks whose predecessor is known, and the longest prompt.
    MOST = 1 << 18

    def __init__(self) -> None:
        self._before: Dict[str, str] = {}

    def complete(self, keys: Sequence[str]) -> List[str]:
        """Returns the known chunks before the first key, and the keys; remembers their order."""
        self._learn(keys)
        front: List[str] = []
        seen = set(keys)
        key = self._before.get(keys[0])
        while key is not None and key not in seen:
            front.append(key)
            seen.add(key)
            key = self._before.get(key)
        front.reverse()
        return [*front, *keys]

    def _learn(self, keys: Sequence[str]) -> None:
        for before, key in zip(keys, keys[1:]):
            # At the end of the dictionary, as the one used last.
            self._before.pop(key, None)
            self._before[key] = before
        while len(self._before) > self.MOST:
            del self._before[next(iter(self._before))]

package dev.ebb.host.numa;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** The placement that the kernel reports ({@code get_mempolicy}); empty if it reports none. */
final class ActualPlacement {

  private static final int ADDRESS_FLAG = 2;

  private ActualPlacement() {}

  /** Returns the placement of the page at an address. */
  static Optional<NumaPlacement> at(long address) {
    return read(address, ADDRESS_FLAG);
  }

  static Optional<NumaPlacement> ofThread() {
    return read(0, 0);
  }

  private static Optional<NumaPlacement> read(long address, int flags) {
    MemoryPolicy.Calls calls = MemoryPolicy.CALLS;
    if (calls == null) {
      return Optional.empty();
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment policy = arena.allocate(JAVA_INT);
      MemorySegment mask = MemoryPolicy.mask(arena, List.of());
      int error =
          MemoryPolicy.call(
              calls.getPolicy(),
              policy.address(),
              mask.address(),
              MemoryPolicy.MASK_LENGTH,
              address,
              flags,
              0);
      List<Integer> nodes = BitSet.valueOf(mask.toArray(JAVA_LONG)).stream().boxed().toList();
      return Arrays.stream(NumaPlacement.Policy.values())
          .filter(known -> error == 0 && known.number == policy.get(JAVA_INT, 0))
          .map(known -> new NumaPlacement(known, nodes))
          .findFirst();
    }
  }
}

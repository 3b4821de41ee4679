package dev.ebb.host.store.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EntryStateTest {

  /** The life of an entry as the documentation has it. */
  private static final String LIFE =
      """
      CREATING STORING
      CREATING REMOVED
      STORING ACTIVE
      STORING REMOVED
      ACTIVE REUSED
      ACTIVE MIGRATING
      ACTIVE EVICTING
      ACTIVE EXPIRED
      ACTIVE REMOVED
      REUSED ACTIVE
      REUSED EXPIRED
      REUSED REMOVED
      MIGRATING ACTIVE
      MIGRATING EVICTING
      EVICTING EVICTED
      """;

  static Stream<EntryState[]> pairs() {
    return Arrays.stream(EntryState.values())
        .flatMap(from -> Arrays.stream(EntryState.values()).map(to -> new EntryState[] {from, to}));
  }

  @ParameterizedTest(name = "{0} to {1}")
  @MethodSource("pairs")
  void onlyTheChangesOfALifeAreAllowed(EntryState from, EntryState to) {
    Set<String> allowed = LIFE.lines().collect(Collectors.toSet());
    EntryStates states = new EntryStates();
    if (allowed.contains(from + " " + to)) {
      assertThat(states.changed(from, to)).isEqualTo(to);
      assertThat(states.counts()).containsEntry(from, -1L).containsEntry(to, 1L);
    } else {
      assertThatThrownBy(() -> states.changed(from, to))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("an entry goes from '%s' to '%s'", from, to);
      assertThat(states.counts().values()).containsOnly(0L);
    }
  }
}

package dev.ebb.host.cluster.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.NodeState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ValueStateTest {

  private static final Path DOCS = Path.of("../../docs/cluster.md");
  private static final Pattern ROWS =
      Pattern.compile(
          "(<!-- generated: transitions -->\n\n.*?\n[|-]+\n).*?(\n<!-- end -->)", Pattern.DOTALL);

  private static final CopySettings TWO_COPIES = new CopySettings(1, true);

  private static Node node(int id, NodeState state) {
    return new Node("n" + id, id, "r" + id, "z", "", 0, "", "", state, 100, 0, 100, 0, 0, 0, 0, "");
  }

  private static final Topology NODES =
      Topology.of(
          List.of(
              node(1, NodeState.ACTIVE),
              node(2, NodeState.ACTIVE),
              node(3, NodeState.ACTIVE),
              node(4, NodeState.DRAINING)));

  private static ValueState state(boolean immutable, Holder... holders) {
    DirectoryEntry entry =
        new DirectoryEntry(
            1, 1, 0, Long.MAX_VALUE, immutable, holders.length == 0, List.of(holders), List.of());
    return ValueState.of(entry, NODES, TWO_COPIES);
  }

  private static Holder main(int node) {
    return new Holder(node, false);
  }

  private static Holder replica(int node) {
    return new Holder(node, true);
  }

  @Test
  void theHoldersDecide() {
    assertThat(ValueState.of(null, NODES, TWO_COPIES)).isEqualTo(ValueState.UNKNOWN);
    assertThat(state(false, main(9), replica(8))).isEqualTo(ValueState.UNKNOWN);
    assertThat(state(false)).isEqualTo(ValueState.DELETED);
    assertThat(state(false, main(1))).isEqualTo(ValueState.REPLICATING);
    assertThat(state(false, main(1), replica(9))).isEqualTo(ValueState.REPLICATING);
    assertThat(state(false, main(1), replica(2))).isEqualTo(ValueState.ACTIVE);
    assertThat(state(false, replica(1), replica(2))).isEqualTo(ValueState.EVICTED);
    assertThat(state(false, main(1), main(2))).isEqualTo(ValueState.MIGRATING);
    assertThat(state(true, main(1), main(2))).isEqualTo(ValueState.ACTIVE);
    assertThat(state(true, main(1), replica(2), replica(4))).isEqualTo(ValueState.MIGRATING);
  }

  @Test
  void oneNodeNeedsOneCopy() {
    DirectoryEntry entry =
        new DirectoryEntry(1, 1, 0, Long.MAX_VALUE, false, false, List.of(main(1)), List.of());
    Topology alone = Topology.of(List.of(node(1, NodeState.ACTIVE)));
    assertThat(ValueState.of(entry, alone, TWO_COPIES)).isEqualTo(ValueState.ACTIVE);
  }

  @Test
  void theDocumentationShowsAllTransitions() throws IOException {
    List<String> rows = new ArrayList<>();
    for (ValueState from : ValueState.values()) {
      rows.add(
          Arrays.stream(ValueEvent.values())
              .map(event -> cell(from, event))
              .collect(Collectors.joining(" | ", "| %s | ".formatted(word(from)), " |")));
    }
    String page = Files.readString(DOCS);
    String written =
        ROWS.matcher(page)
            .replaceFirst(table ->
                Matcher.quoteReplacement(
                    table.group(1) + String.join("\n", rows) + "\n" + table.group(2)));
    if (Boolean.getBoolean("ebb.reference.write")) {
      Files.writeString(DOCS, written);
    }
    assertThat(page).contains(rows).isEqualTo(written);
  }

  private static String cell(ValueState from, ValueEvent event) {
    Set<ValueState> next = EnumSet.copyOf(event.after(from));
    next.remove(from);
    return next.isEmpty()
        ? "-"
        : next.stream().map(ValueStateTest::word).collect(Collectors.joining(" "));
  }

  private static String word(ValueState state) {
    return "`%s`".formatted(state.name().toLowerCase(Locale.ROOT));
  }
}

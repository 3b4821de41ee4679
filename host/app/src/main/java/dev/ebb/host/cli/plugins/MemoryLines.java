package dev.ebb.host.cli.plugins;

import dev.ebb.host.devkit.PolicyMemory;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Format;
import java.util.List;
import java.util.stream.Stream;

/** Memory per entry for a terminal. */
final class MemoryLines {

  private static final Columns<PolicyMemory> MEMORY =
      Columns.of(
          PolicyMemory.class,
          """
          POLICY | {policy}
          >BYTES/ENTRY | {bytesPerEntry:%.0f}
          >WITH GHOSTS | {bytesPerEntryTurnedOver:%.0f}
          """);

  private MemoryLines() {}

  static List<String> text(List<PolicyMemory> memory) {
    return Stream.concat(
            MEMORY.lines(memory).stream(),
            memory.stream()
                .filter(each -> each.problem() != null)
                .map(each -> Format.text(each.problem())))
        .toList();
  }
}

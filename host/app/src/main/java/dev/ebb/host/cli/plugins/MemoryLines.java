package dev.ebb.host.cli.plugins;

import dev.ebb.host.cli.output.Format;
import dev.ebb.host.cli.output.KeyText;
import dev.ebb.host.cli.output.TextTable;
import dev.ebb.host.devkit.PolicyMemory;
import dev.ebb.host.http.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Memory per entry for a terminal, and as JSON. */
final class MemoryLines {

  private MemoryLines() {}

  static List<String> text(List<PolicyMemory> memory) {
    TextTable table = new TextTable("POLICY", ">BYTES/ENTRY", ">WITH GHOSTS");
    for (PolicyMemory each : memory) {
      table.add(
          List.of(
              each.policy(), bytes(each.bytesPerEntry()), bytes(each.bytesPerEntryTurnedOver())));
    }
    return Stream.concat(table.lines().stream(), memory.stream().mapMulti(MemoryLines::why))
        .toList();
  }

  private static void why(PolicyMemory memory, Consumer<String> lines) {
    if (memory.problem() != null) {
      lines.accept(KeyText.printable(memory.problem()));
    }
  }

  private static String bytes(double value) {
    return Double.isFinite(value) ? String.valueOf(Math.round(value)) : Format.UNKNOWN;
  }

  static List<Map<String, Object>> documents(List<PolicyMemory> memory) {
    return memory.stream().map(MemoryLines::document).toList();
  }

  private static Map<String, Object> document(PolicyMemory memory) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("policy", memory.policy());
    document.put("bytesPerEntry", Json.known(memory.bytesPerEntry()));
    document.put("bytesPerEntryTurnedOver", Json.known(memory.bytesPerEntryTurnedOver()));
    document.put("problem", memory.problem());
    return document;
  }
}

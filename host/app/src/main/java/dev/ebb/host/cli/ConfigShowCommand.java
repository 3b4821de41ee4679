package dev.ebb.host.cli;

import dev.ebb.host.admin.ConfigDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.config.ConfigEntry;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.http.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code ebb config show}: shows every active value and its origin. */
@Command(
    name = "show",
    description =
        "Shows every value and where it comes from, of the file or, with --url, of a running Ebb;"
            + " secrets are hidden",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb config show",
      "  ebb config show --config /etc/ebb.conf --json",
      "  ebb config show --url http://127.0.0.1:9090"
    })
final class ConfigShowCommand extends ServerCommand {

  /** A longer list would push the last column out of view. */
  private static final int LONG = 40;

  @Override
  public Integer call() {
    if (server().isGiven()) {
      try (AdminClient client = open()) {
        show(client.get("/api/v1/config", ConfigDocument.class));
      }
    } else {
      LoadedConfig loaded = server().load();
      loaded.orThrow();
      List<ConfigEntry> entries = loaded.tree().entries();
      show(new Answer<>(Json.text(Map.of("values", entries)), () -> document(entries)));
    }
    return 0;
  }

  /** A value for its row; what a long list holds comes after the table, a line each. */
  private static String shown(ConfigDocument.Value value, List<String> lists) {
    String text = HoconText.of(value.value());
    List<?> items = value.value() instanceof List<?> list ? list : List.of();
    if (items.isEmpty() || text.length() <= LONG) {
      return text.isEmpty() ? "\"\"" : text;
    }
    lists.add(Format.text(value.key()) + " = [");
    items.forEach(item -> lists.add("  " + HoconText.element(item)));
    lists.add("]");
    return items.size() + " below";
  }

  private static ConfigDocument document(List<ConfigEntry> entries) {
    return new ConfigDocument(
        0,
        entries.stream()
            .map(each -> new ConfigDocument.Value(each.key(), each.value(), each.origin(), false))
            .toList(),
        List.of(),
        List.of());
  }

  private void show(Answer<ConfigDocument> answer) {
    if (wantsJson()) {
      print(answer.text());
      return;
    }
    ConfigDocument document = answer.document();
    TextTable table = new TextTable("KEY", "VALUE", "FROM");
    List<String> lists = new ArrayList<>();
    for (ConfigDocument.Value value : document.values()) {
      String from = value.origin() != null ? Format.text(value.origin()) : "default";
      table.add(List.of(Format.text(value.key()), shown(value, lists), from));
    }
    print(table.lines());
    print(lists);
    document
        .fileProblems()
        .forEach(
            problem -> print("the file has changed, and is not active: " + Format.text(problem)));
    String keys = Format.text(String.join(", ", document.afterRestart()));
    if (!keys.isEmpty()) {
      print("the file has changed, and a restart activates: " + keys);
    }
  }
}

package dev.ebb.host.cli;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.config.ConfigEntry;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.http.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** {@code ebb config show}: every active value and where it comes from. */
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

  /** A longer list would push the last column out of sight. */
  private static final int LONG = 40;

  @Override
  public Integer call() {
    if (server().isGiven()) {
      try (AdminClient client = open()) {
        Answer answer = client.get("/api/v1/config");
        show(answer.text(), new Fields(answer.document()));
      }
    } else {
      LoadedConfig loaded = server().load();
      loaded.orThrow();
      List<ConfigEntry> entries = loaded.tree().entries();
      String text = Json.text(Map.of("values", entries));
      show(text, Fields.parse(text));
    }
    return 0;
  }

  /** A value for its row; what a long list holds comes after the table, a line each. */
  private static String shown(Fields value, List<String> lists) {
    String text = HoconText.of(value.in("/value"));
    List<Fields> items = value.list("/value");
    if (items.isEmpty() || text.length() <= LONG) {
      return text.isEmpty() ? "\"\"" : text;
    }
    lists.add(value.text("/key") + " = [");
    items.forEach(item -> lists.add("  " + HoconText.element(item)));
    lists.add("]");
    return items.size() + " below";
  }

  private void show(String text, Fields document) {
    if (wantsJson()) {
      print(text);
      return;
    }
    TextTable table = new TextTable("KEY", "VALUE", "FROM");
    List<String> lists = new ArrayList<>();
    for (Fields value : document.list("/values")) {
      String from = value.has("/origin") ? value.text("/origin") : "default";
      table.add(List.of(value.text("/key"), shown(value, lists), from));
    }
    print(table.lines());
    print(lists);
    document
        .list("/fileProblems")
        .forEach(problem -> print("the file has changed, and is not active: " + problem.text("")));
    String keys =
        document.list("/afterRestart").stream()
            .map(key -> key.text(""))
            .collect(Collectors.joining(", "));
    if (!keys.isEmpty()) {
      print("the file has changed, and a restart activates: " + keys);
    }
  }
}

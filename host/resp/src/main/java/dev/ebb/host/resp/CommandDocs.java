package dev.ebb.host.resp;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigUtil;
import dev.ebb.host.resp.session.Replies.Status;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The documentation of commands that Redis does not have, in the form of Redis' {@code
 * src/commands/*.json}.
 */
final class CommandDocs {

  private static final Config ALL =
      ConfigFactory.parseResources(CommandDocs.class, "commands.json");

  private CommandDocs() {}

  /** Returns lines of HELP: the name and arguments of each subcommand, and what it does. */
  static List<String> help(Command command) {
    return ALL.getStringList(ConfigUtil.quoteString(command.upper));
  }

  /** Returns the fields of a command in the reply to COMMAND DOCS. */
  static Map<String, Object> of(Command command) {
    Config docs = ALL.getConfig(ConfigUtil.quoteString(command.upper));
    Map<String, Object> fields = new LinkedHashMap<>();
    copy(docs, "summary", fields);
    fields.put("since", "0.1.0");
    fields.put("group", "module");
    copy(docs, "complexity", fields);
    fields.put("module", EbbCommands.MODULE);
    fields.put("arguments", arguments(docs));
    return fields;
  }

  private static List<Map<String, Object>> arguments(Config docs) {
    return docs.hasPath("arguments")
        ? docs.getConfigList("arguments").stream().map(CommandDocs::argument).toList()
        : List.of();
  }

  private static Map<String, Object> argument(Config docs) {
    Map<String, Object> fields = new LinkedHashMap<>();
    copy(docs, "name", fields);
    copy(docs, "type", fields);
    if (docs.getString("type").equals("key")) {
      fields.put("key_spec_index", 0);
    }
    copy(docs, "token", fields);
    copy(docs, "summary", fields);
    if (docs.hasPath("flag")) {
      fields.put("flags", Set.of(new Status(docs.getString("flag"))));
    }
    if (docs.hasPath("arguments")) {
      fields.put("arguments", arguments(docs));
    }
    return fields;
  }

  private static void copy(Config docs, String field, Map<String, Object> to) {
    if (docs.hasPath(field)) {
      to.put(field, docs.getString(field));
    }
  }
}

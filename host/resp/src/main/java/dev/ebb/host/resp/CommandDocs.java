package dev.ebb.host.resp;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigUtil;
import dev.ebb.host.resp.session.Replies;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The documentation of a command that Redis does not have, in the form of Redis' {@code
 * src/commands/*.json}.
 */
record CommandDocs(String summary, String complexity, List<Argument> arguments) {

  private static final Config ALL =
      ConfigFactory.parseResources(CommandDocs.class, "commands.json");

  /**
   * An argument.
   *
   * @param type as in Redis: {@code string}, {@code oneof} ...
   * @param token the word before it; null if it has none
   * @param summary what it means; null if its name says it
   * @param flag {@code optional} or {@code multiple}; null for neither
   * @param arguments those to choose from, or those of a block; else none
   */
  record Argument(
      String name,
      String type,
      @Nullable String token,
      @Nullable String summary,
      @Nullable String flag,
      List<Argument> arguments) {

    private static List<Argument> listOf(Config parent) {
      return parent.hasPath("arguments")
          ? parent.getConfigList("arguments").stream().map(Argument::of).toList()
          : List.of();
    }

    private static Argument of(Config docs) {
      return new Argument(
          docs.getString("name"),
          docs.getString("type"),
          text(docs, "token"),
          text(docs, "summary"),
          text(docs, "flag"),
          listOf(docs));
    }

    private static @Nullable String text(Config docs, String field) {
      return docs.hasPath(field) ? docs.getString(field) : null;
    }

    private void write(Replies replies) {
      boolean key = type.equals("key");
      int more =
          (key ? 1 : 0)
              + (token == null ? 0 : 1)
              + (summary == null ? 0 : 1)
              + (flag == null ? 0 : 1)
              + (arguments.isEmpty() ? 0 : 1);
      replies.map(2 + more);
      replies.pair("name", name);
      replies.pair("type", type);
      if (key) {
        replies.bulk("key_spec_index");
        replies.integer(0);
      }
      if (token != null) {
        replies.pair("token", token);
      }
      if (summary != null) {
        replies.pair("summary", summary);
      }
      if (flag != null) {
        replies.bulk("flags");
        replies.set(1);
        replies.simple(flag);
      }
      if (!arguments.isEmpty()) {
        CommandDocs.write(arguments, replies);
      }
    }
  }

  static CommandDocs of(Command command) {
    Config docs = ALL.getConfig(ConfigUtil.quoteString(command.upper));
    return new CommandDocs(
        docs.getString("summary"), docs.getString("complexity"), Argument.listOf(docs));
  }

  /** Returns lines of HELP: the name and arguments of each subcommand, and what it does. */
  static List<String> help(Command command) {
    return ALL.getStringList(ConfigUtil.quoteString(command.upper));
  }

  void write(Replies replies) {
    replies.map(6);
    replies.pair("summary", summary);
    replies.pair("since", "0.1.0");
    replies.pair("group", "module");
    replies.pair("complexity", complexity);
    replies.pair("module", EbbCommands.MODULE);
    write(arguments, replies);
  }

  private static void write(List<Argument> arguments, Replies replies) {
    replies.bulk("arguments");
    replies.array(arguments.size());
    arguments.forEach(argument -> argument.write(replies));
  }
}

package dev.ebb.host.resp;

import dev.ebb.host.resp.session.Replies;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An argument in the documentation of a command, in Redis' form.
 *
 * @param type as in Redis: {@code string}, {@code oneof} ...
 * @param token the word before it; null if it has none
 * @param summary what it means; empty if its name says it
 * @param flag {@code optional} or {@code multiple}; null for neither
 * @param arguments those to choose from, or those of a block; else none
 */
record CommandArgument(
    String name,
    String type,
    @Nullable String token,
    String summary,
    @Nullable String flag,
    List<CommandArgument> arguments) {

  static CommandArgument pairs(
      String name, String token, CommandArgument first, CommandArgument second) {
    return new CommandArgument(name, "block", token, "", "multiple", List.of(first, second));
  }

  static CommandArgument key() {
    return of("key", "key");
  }

  static CommandArgument keys() {
    return keys(null);
  }

  static CommandArgument keys(@Nullable String token) {
    return new CommandArgument("key", "key", token, "", "multiple", List.of());
  }

  static CommandArgument strings(String name) {
    return new CommandArgument(name, "string", null, "", "multiple", List.of());
  }

  static CommandArgument string(String name) {
    return of(name, "string");
  }

  static CommandArgument integer(String name) {
    return of(name, "integer");
  }

  static CommandArgument token(String name, String type, String token) {
    return new CommandArgument(name, type, token, "", null, List.of());
  }

  static CommandArgument option(String name, String type, String token) {
    return token(name, type, token).optional();
  }

  static CommandArgument oneOf(String name, CommandArgument... arguments) {
    return new CommandArgument(name, "oneof", null, "", null, List.of(arguments));
  }

  static CommandArgument block(String name, String token, CommandArgument... arguments) {
    return new CommandArgument(name, "block", token, "", null, List.of(arguments));
  }

  private static CommandArgument of(String name, String type) {
    return new CommandArgument(name, type, null, "", null, List.of());
  }

  CommandArgument meaning(String meaning) {
    return new CommandArgument(name, type, token, meaning, flag, arguments);
  }

  CommandArgument optional() {
    return new CommandArgument(name, type, token, summary, "optional", arguments);
  }

  private void write(Replies replies) {
    boolean key = type.equals("key");
    int more =
        (key ? 1 : 0)
            + (token == null ? 0 : 1)
            + (summary.isEmpty() ? 0 : 1)
            + (flag == null ? 0 : 1);
    replies.map(2 + more + (arguments.isEmpty() ? 0 : 1));
    replies.pair("name", name);
    replies.pair("type", type);
    if (key) {
      replies.bulk("key_spec_index");
      replies.integer(0);
    }
    if (token != null) {
      replies.pair("token", token);
    }
    if (!summary.isEmpty()) {
      replies.pair("summary", summary);
    }
    if (flag != null) {
      replies.bulk("flags");
      replies.set(1);
      replies.simple(flag);
    }
    if (!arguments.isEmpty()) {
      write(arguments, replies);
    }
  }

  static void write(List<CommandArgument> arguments, Replies replies) {
    replies.bulk("arguments");
    replies.array(arguments.size());
    arguments.forEach(argument -> argument.write(replies));
  }
}

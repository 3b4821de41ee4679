package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.config.server.UserRight;
import dev.ebb.host.docs.GeneratedTable;
import dev.ebb.host.resp.session.Replies.Status;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Checks the commands of the RESP server in the documentation against the program. */
class DocumentedRespTest {

  /** Commands whose arguments have a table of their own. */
  private static final Set<Command> DESCRIBED = Set.of(Command.EBB_REQUEST, Command.EBB_SEQ);

  /** An argument of the reply to COMMAND DOCS. */
  private record Argument(Map<?, ?> fields) {

    static List<Argument> of(Map<?, ?> parent) {
      List<?> arguments = (List<?>) parent.get("arguments");
      return arguments == null
          ? List.of()
          : arguments.stream().map(each -> new Argument((Map<?, ?>) each)).toList();
    }

    List<Argument> arguments() {
      return of(fields);
    }

    boolean is(String flag) {
      return Set.of(new Status(flag)).equals(fields.get("flags"));
    }

    String text(String field) {
      return (String) requireNonNull(fields.get(field));
    }
  }

  @Test
  void everyCommandOfEbbIsDocumented() {
    GeneratedTable.check(
        "serve.md",
        "commands",
        DocumentedRespTest.class,
        List.of("command", "purpose"),
        Arrays.stream(Command.values())
            .filter(command -> command.isOwn() && !DESCRIBED.contains(command))
            .map(command ->
                List.of(
                    "`" + syntax(command) + "`",
                    requireNonNull(CommandDocs.of(command).get("summary")).toString()))
            .toList());
  }

  @Test
  void everyOptionOfARequestIsDocumented() {
    List<Argument> operations = operations(Command.EBB_REQUEST);
    Map<Argument, String> options = new LinkedHashMap<>();
    options(operations.getFirst()).forEach(option -> options.put(option, "`BEGIN`"));
    options(operations.getLast())
        .forEach(option -> options.merge(option, "`END`", (begin, end) -> "both"));
    GeneratedTable.check(
        "serve.md",
        "options",
        DocumentedRespTest.class,
        List.of("option", "at", "value", "meaning"),
        options.entrySet().stream()
            .map(each ->
                List.of(
                    "`" + each.getKey().text("token") + "`",
                    each.getValue(),
                    each.getKey().text("type"),
                    each.getKey().text("summary")))
            .toList());
  }

  @Test
  void everyOperationOnSequencesIsDocumented() {
    GeneratedTable.check(
        "engine-clients.md",
        "operations",
        DocumentedRespTest.class,
        List.of("operation", "effect"),
        operations(Command.EBB_SEQ).stream()
            .map(each -> List.of("`" + syntax(each) + "`", each.text("summary")))
            .toList());
  }

  /** Returns the operations that the only argument of a command chooses from. */
  private static List<Argument> operations(Command command) {
    return Argument.of(CommandDocs.of(command)).getFirst().arguments();
  }

  private static Stream<Argument> options(Argument operation) {
    return operation.arguments().stream().filter(argument -> argument.is("optional"));
  }

  @Test
  void theRightToEachCommandIsDocumented() {
    List<@Nullable UserRight> rights = new ArrayList<>(Arrays.asList(UserRight.values()));
    rights.addFirst(null);
    GeneratedTable.check(
        "security.md",
        "rights",
        DocumentedRespTest.class,
        List.of("right", "commands"),
        rights.stream().map(DocumentedRespTest::row).toList());
  }

  private static List<String> row(@Nullable UserRight right) {
    return List.of(
        right == null ? "none" : "`" + right.name().toLowerCase(Locale.ROOT) + "`",
        Arrays.stream(Command.values())
            .flatMap(command -> calls(command, right))
            .map(call -> "`" + call + "`")
            .collect(Collectors.joining(" ")));
  }

  /** Returns the command if all its calls need this right, otherwise the subcommands that do. */
  private static Stream<String> calls(Command command, @Nullable UserRight right) {
    if (command.subcommands.isEmpty()) {
      return Objects.equals(command.right(List.of()), right)
          ? Stream.of(command.upper)
          : Stream.of();
    }
    List<String> calls =
        command.subcommands.stream()
            .filter(each -> Objects.equals(each.right(), right))
            .map(each -> command.upper + " " + each.name())
            .toList();
    return calls.size() == command.subcommands.size() ? Stream.of(command.upper) : calls.stream();
  }

  private static String syntax(Command command) {
    return Stream.concat(
            Stream.of(command.upper),
            Argument.of(CommandDocs.of(command)).stream().map(DocumentedRespTest::syntax))
        .collect(Collectors.joining(" "));
  }

  private static String syntax(Argument argument) {
    String words =
        switch (argument.text("type")) {
          case "oneof" -> syntax(argument.arguments(), " \\| ");
          case "block" -> syntax(argument.arguments(), " ");
          case "pure-token" -> "";
          default -> argument.text("name");
        };
    String repeated = argument.is("multiple") ? "%s [%s ...]".formatted(words, words) : words;
    String whole =
        argument.fields.containsKey("token")
            ? (argument.text("token") + " " + repeated).strip()
            : repeated;
    return argument.is("optional") ? "[" + whole + "]" : whole;
  }

  private static String syntax(List<Argument> arguments, String separator) {
    return arguments.stream()
        .map(DocumentedRespTest::syntax)
        .collect(Collectors.joining(separator));
  }
}

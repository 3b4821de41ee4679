package dev.ebb.host.resp;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.config.server.UserRight;
import dev.ebb.host.docs.GeneratedTable;
import dev.ebb.host.resp.CommandDocs.Argument;
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

  @Test
  void everyCommandOfEbbIsDocumented() {
    GeneratedTable.check(
        "serve.md",
        "commands",
        DocumentedRespTest.class,
        List.of("command", "purpose"),
        Arrays.stream(Command.values())
            .filter(command -> command.isOwn() && !DESCRIBED.contains(command))
            .map(command -> List.of("`" + syntax(command) + "`", CommandDocs.of(command).summary()))
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
                    "`" + each.getKey().token() + "`",
                    each.getValue(),
                    each.getKey().type(),
                    requireNonNull(each.getKey().summary())))
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
            .map(each -> List.of("`" + syntax(each) + "`", requireNonNull(each.summary())))
            .toList());
  }

  /** Returns the operations that the only argument of a command chooses from. */
  private static List<Argument> operations(Command command) {
    return CommandDocs.of(command).arguments().getFirst().arguments();
  }

  private static Stream<Argument> options(Argument operation) {
    return operation.arguments().stream().filter(argument -> "optional".equals(argument.flag()));
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
            CommandDocs.of(command).arguments().stream().map(DocumentedRespTest::syntax))
        .collect(Collectors.joining(" "));
  }

  private static String syntax(Argument argument) {
    String words =
        switch (argument.type()) {
          case "oneof" -> syntax(argument.arguments(), " \\| ");
          case "block" -> syntax(argument.arguments(), " ");
          case "pure-token" -> "";
          default -> argument.name();
        };
    String repeated =
        "multiple".equals(argument.flag()) ? "%s [%s ...]".formatted(words, words) : words;
    String whole =
        argument.token() == null ? repeated : (argument.token() + " " + repeated).strip();
    return "optional".equals(argument.flag()) ? "[" + whole + "]" : whole;
  }

  private static String syntax(List<Argument> arguments, String separator) {
    return arguments.stream()
        .map(DocumentedRespTest::syntax)
        .collect(Collectors.joining(separator));
  }
}

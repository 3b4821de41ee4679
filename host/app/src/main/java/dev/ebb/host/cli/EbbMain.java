package dev.ebb.host.cli;

import dev.ebb.host.cli.options.CommandGroup;
import dev.ebb.host.cli.options.OptionValues;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.errors.ForeignNames;
import dev.ebb.host.errors.Suggestions;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.ProcessDefaults;
import dev.ebb.host.plugin.PluginFailure;
import java.io.PrintWriter;
import java.net.URL;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code ebb}. Its subcommands are in {@link Subcommands}. */
@Command(
    name = "ebb",
    description = "A KV cache for LLM inference with pluggable eviction policies",
    scope = CommandLine.ScopeType.INHERIT,
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      " 0:success",
      " 1:error: invalid input or configuration, server unreachable, or run-time failure",
      " 2:the command line was wrong: an unknown option, or a value that is not allowed",
      " 3:the server ran out of memory; start it again",
      " 4:a plugin damaged the records of the cache; start the server again, without that plugin"
    })
public final class EbbMain implements Runnable {

  /** The start of each key of the configuration. */
  private static final String ROOT = "ebb.";

  /**
   * The logger that warns of each repeated header of a manifest; a small JAR can have very many.
   */
  private static final Logger JAR_WARNINGS = Logger.getLogger("java.util.jar");

  @Spec private CommandSpec spec;

  /**
   * Runs the command and exits the process with its exit code. Standard output is for results only,
   * so the output of plugins goes to standard error.
   */
  public static void main(String[] args) {
    ProcessDefaults.setLocale();
    StandardOutput standard = new StandardOutput();
    PrintWriter out = new PrintWriter(standard, true, System.out.charset());
    PrintWriter err = new PrintWriter(System.err, true, System.err.charset());
    System.setOut(System.err);
    JAR_WARNINGS.setLevel(Level.OFF);
    // Java accepts one factory in a process. With that of a plugin, no other class could be loaded.
    URL.setURLStreamHandlerFactory(protocol -> null);
    System.exit(run(out, standard::readerGone, err, args));
  }

  public static int run(PrintWriter out, PrintWriter err, String... args) {
    return run(out, () -> false, err, args);
  }

  private static int run(
      PrintWriter out, BooleanSupplier readerGone, PrintWriter err, String... args) {
    CommandLine root = commandLine(args).setOut(out).setErr(err);
    OptionalCommands.addTo(root, args);
    CommandLine command =
        OptionValues.register(root)
            .setOut(out)
            .setErr(err)
            .setParameterExceptionHandler(EbbMain::wrongUsage)
            .setExecutionExceptionHandler(EbbMain::failed);
    try {
      int exitCode = command.execute(args);
      if (out.checkError() && !readerGone.getAsBoolean()) {
        err.println("ebb: not all of the output could be written; is the disk full?");
        return CommandLine.ExitCode.SOFTWARE;
      }
      return exitCode;
    } catch (OutOfMemoryError exhausted) {
      err.println("ebb: " + Usage.HEAP_TOO_SMALL);
      return CommandLine.ExitCode.SOFTWARE;
    }
  }

  /** Returns the command with the subcommands that the arguments need, without optional ones. */
  static CommandLine commandLine(String... args) {
    CommandLine root = new CommandLine(new EbbMain());
    Subcommands.addTo(root, args);
    CommandGroup.arrange(root);
    CommandOverview.install(root);
    return root;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  private static int wrongUsage(ParameterException error, String[] args) {
    CommandLine command = error.getCommandLine();
    PrintWriter err = command.getErr();
    String name = command.getCommandSpec().qualifiedName();
    if (error instanceof UnmatchedArgumentException unmatched
        && !unmatched.isUnknownOption()
        && !command.getSubcommands().isEmpty()) {
      err.println(name + ": " + noCommand(command, unmatched.getUnmatched().getFirst()));
    } else {
      err.println(name + ": " + message(error));
      suggest(error, command);
    }
    err.println("See '" + name + " --help'");
    return CommandLine.ExitCode.USAGE;
  }

  /**
   * Returns picocli's message; a shorter one where it counts from 0 or starts with another word.
   */
  private static String message(ParameterException error) {
    if (error instanceof MissingParameterException missing
        && missing.getMissing().getFirst() instanceof OptionSpec option
        && option.arity().min() > 1) {
      return "%s needs %d values: %s"
          .formatted(option.longestName(), option.arity().min(), option.paramLabel());
    }
    return String.valueOf(error.getMessage()).replaceFirst("^Error: ", "");
  }

  /** Names the option that has another name in other software, or similar options. */
  private static void suggest(ParameterException error, CommandLine command) {
    String given =
        error instanceof UnmatchedArgumentException unmatched && unmatched.isUnknownOption()
            ? unmatched.getUnmatched().getFirst().replaceFirst("=.*", "")
            : "";
    Map<String, OptionSpec> options = command.getCommandSpec().optionsMap();
    Optional<String> key = ForeignNames.KEY.name(given);
    Optional<String> remark = ForeignNames.OPTION.remark(given);
    String option =
        ForeignNames.OPTION
            .name(given)
            .filter(options::containsKey)
            .or(() -> key.map(name -> "--" + name.substring(ROOT.length()).replace('.', '-')))
            .orElse("");
    if (options.containsKey(option)) {
      command.getErr().println("Ebb's name for it is '%s'".formatted(option));
    } else if (remark.isPresent()) {
      command.getErr().println(remark.get());
    } else if (key.isPresent()
        || !UnmatchedArgumentException.printSuggestions(error, command.getErr())) {
      ForeignNames.KEY.counterpart(given).ifPresent(command.getErr()::println);
    }
  }

  private static String noCommand(CommandLine group, String word) {
    Map<String, CommandLine> commands = group.getSubcommands();
    List<String> below =
        commands.entrySet().stream()
            .filter(each -> each.getValue().getSubcommands().containsKey(word))
            .map(each -> each.getKey() + " " + word)
            .toList();
    String here =
        below.isEmpty() ? Suggestions.hint(word, commands.keySet()) : Suggestions.hint(below);
    return "no command '%s'%s".formatted(word, here.isEmpty() ? elsewhere(word) : here);
  }

  /** Returns the hint for a command outside the group, or one that other software has. */
  private static String elsewhere(String word) {
    String foreign = ForeignNames.COMMAND.hint(word);
    return foreign.isEmpty()
        ? Suggestions.to(word, Subcommands.names())
            .map(" (did you mean 'ebb %s'?)"::formatted)
            .orElse("")
        : foreign;
  }

  /**
   * Reports a failure: a user's mistake in words; anything else is a bug of Ebb, with its origin.
   */
  private static int failed(Exception error, CommandLine command, CommandLine.ParseResult result) {
    if (error instanceof ExecutionException && error.getCause() instanceof Error fatal) {
      // Picocli wraps those of methods, but not those of classes.
      throw fatal;
    }
    PrintWriter err = command.getErr();
    if (error instanceof UserError mistakes) {
      mistakes.messages().forEach(message -> err.println("ebb: " + message));
    } else if (error instanceof PluginFailure failure) {
      err.println("ebb: " + failure.getMessage());
    } else {
      error.printStackTrace(err);
    }
    return CommandLine.ExitCode.SOFTWARE;
  }
}

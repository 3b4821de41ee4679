package dev.ebb.host.cli.plugins;

import dev.ebb.host.cli.EbbMain;
import dev.ebb.host.devkit.Verdict;
import dev.ebb.host.devkit.VerifyFinding;
import dev.ebb.host.devkit.VerifyProgress;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.files.TemporaryFolder;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Verifies a JAR in another process with the same Java, class path and options. A plugin that exits
 * its process then exits that one, and the result counts only if it was written after all checks.
 */
final class VerifyProcess {

  /** A shutdown hook of the plugin may run longer than the verdict. */
  private static final long EXIT_SECONDS = 5;

  private static final int INTERRUPTED = 130;

  private final Path jar;
  private final List<String> arguments;
  private final VerifyProgress progress;
  private final List<VerifyFinding> findings = new ArrayList<>();
  private String at = "start";
  private volatile boolean stopped;

  /**
   * Prepares a process.
   *
   * @param arguments arguments of {@code ebb} that make it write {@link VerifyStep}s
   */
  VerifyProcess(Path jar, List<String> arguments, VerifyProgress progress) {
    this.jar = jar;
    this.arguments = arguments;
    this.progress = progress;
  }

  /** Returns the verdict, which is a failure if the process ends early. */
  Verdict run() {
    try (TemporaryFolder temporary = TemporaryFolder.create("ebb-verify-")) {
      return run(command(temporary.path()), temporary);
    } catch (IOException failed) {
      throw new UserError("'%s' cannot be verified in a new process: %s".formatted(jar, failed));
    }
  }

  private Verdict run(List<String> command, TemporaryFolder temporary) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    // The launcher has already added it to the options.
    builder.environment().remove("JDK_JAVA_OPTIONS");
    Process process = builder.start();
    // Stays registered: it does nothing to a process that has ended.
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> stop(process, temporary), "ebb-verify-stop"));
    try {
      process.getOutputStream().close();
      Verdict verdict = read(process);
      return verdict == null ? endedEarly(process.waitFor()) : verdict;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw stoppedError();
    } finally {
      process.destroyForcibly();
    }
  }

  private void stop(Process process, TemporaryFolder temporary) {
    stopped = true;
    process.destroyForcibly().onExit().join();
    temporary.close();
  }

  private UserError stoppedError() {
    return new UserError("the verification of '%s' was stopped before its end".formatted(jar));
  }

  private @Nullable Verdict read(Process process) throws IOException, InterruptedException {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        VerifyStep step = VerifyStep.read(line);
        if (step == null) {
          System.err.println(line);
          continue;
        }
        if (step.mistakes() != null) {
          throw new UserError(step.mistakes());
        }
        if (step.verdict() != null) {
          process.waitFor(EXIT_SECONDS, TimeUnit.SECONDS);
          Verdict verdict = step.verdict();
          return new Verdict(
              jar, verdict.id(), verdict.version(), verdict.findings(), verdict.costs());
        }
        pass(step);
      }
      return null;
    }
  }

  private void pass(VerifyStep step) {
    VerifyStep.At begun = step.at();
    if (begun != null) {
      at = begun.what();
      progress.at(begun.what(), begun.done(), begun.total());
    }
    if (step.found() != null) {
      add(step.found());
    }
  }

  private void add(VerifyFinding finding) {
    findings.add(finding);
    progress.found(finding);
  }

  private Verdict endedEarly(int status) {
    if (stopped || status == INTERRUPTED) {
      throw stoppedError();
    }
    String why =
        "the process ended with status '%d' during '%s', so the checks after it were not run; %s"
            .formatted(status, at, remedy(status));
    add(VerifyFinding.ofPlugin("leaves the process running", false, why));
    return new Verdict(jar, null, null, findings, List.of());
  }

  /** Returns the remedy; a status above 128 is that of a signal. */
  private static String remedy(int status) {
    return status > 128
        ? "signal %d ended it: a plugin must not crash its process, as native code can"
            .formatted(status - 128)
        : "a plugin must not end its process: remove System.exit and Runtime.halt";
  }

  private List<String> command(Path temporary) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(VerifyProcess::canBeShared)
        .forEach(command::add);
    command.add("-Djava.io.tmpdir=" + temporary);
    command.add("-Dstdout.encoding=UTF-8");
    command.add("-Debb.home=" + System.getProperty("ebb.home", ""));
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(EbbMain.class.getName());
    command.addAll(arguments);
    return command;
  }

  /**
   * Returns whether to share it: two processes cannot use one debugger port, nor write one start-up
   * cache.
   */
  private static boolean canBeShared(String option) {
    return !option.startsWith("-agentlib:jdwp")
        && !option.startsWith("-Xrunjdwp")
        && !option.startsWith("-XX:AOTCacheOutput");
  }
}

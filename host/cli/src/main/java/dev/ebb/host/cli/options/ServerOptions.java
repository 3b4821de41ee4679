package dev.ebb.host.cli.options;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.Answer;
import dev.ebb.host.client.ServerAddress;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.units.ByteSize;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of a command that sends requests to a running Ebb, and the output of its answers. */
public final class ServerOptions {

  private static final int MAX_TIMEOUT_SECONDS = 3600;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @Mixin private ConfigOption config;
  @Mixin private JsonOption json;
  @Mixin private TlsOptions tls;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "The admin address of a running Ebb; by default ebb.admin.bind and ebb.admin.port of the"
              + " configuration, http://127.0.0.1:9090")
  private @Nullable String url;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description =
          "Its token; by default the environment variable EBB_ADMIN_TOKEN, which other"
              + " users of the machine cannot see, or without --url ebb.admin.token")
  private @Nullable String token;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      // Longer than the server waits for a plugin, so that its answer is shown.
      defaultValue = "30",
      description = "How long to wait for an answer; by default 30")
  private int timeout;

  public boolean isGiven() {
    return url != null;
  }

  public boolean wantsJson() {
    return json.wanted();
  }

  public LoadedConfig load() {
    return config.load();
  }

  public AdminClient open() {
    AdminAddress admin = admin();
    return new AdminClient(admin.address(), Duration.ofSeconds(timeout), admin.context());
  }

  private AdminAddress admin() {
    between("--timeout", timeout, 1, MAX_TIMEOUT_SECONDS);
    String named = url;
    AdminAddress admin =
        named != null
            ? AdminAddress.named(
                usage(() -> Usage.named("--url", () -> ServerAddress.parse(named))),
                token,
                () -> usage(tls::files))
            : AdminAddress.configured(config.load(), token, tls);
    if (admin.context() == null && tls.given()) {
      throw wrong(
          "--cacert, --cert and --key are for TLS, but '%s' is not https"
              .formatted(admin.address()));
    }
    return admin;
  }

  /**
   * Opens another node of the same cluster, which has the same token and certificates.
   *
   * @param address {@code host:port}
   */
  public AdminClient open(String address) {
    AdminAddress admin = admin();
    ServerAddress other =
        ServerAddress.parse(admin.address().base().getScheme() + "://" + address)
            .with(admin.address().token());
    return new AdminClient(other, Duration.ofSeconds(timeout), admin.context());
  }

  /** Sends a request, and prints the answer; returns the exit code. */
  public <T> int show(Function<AdminClient, Answer<T>> request, Function<T, List<String>> lines) {
    try (AdminClient client = open()) {
      return show(request.apply(client), lines);
    }
  }

  /** Prints an answer, as lines for a terminal or as it is; returns the exit code. */
  public <T> int show(Answer<T> answer, Function<T, List<String>> lines) {
    print(wantsJson() ? List.of(answer.text()) : lines.apply(answer.document()));
    return 0;
  }

  public void print(String line) {
    print(List.of(line));
  }

  public void print(List<String> lines) {
    PrintWriter out = spec.commandLine().getOut();
    lines.forEach(out::println);
    out.flush();
  }

  /** Prints a remark to standard error. */
  public void note(String remark) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("ebb: " + remark);
    err.flush();
  }

  /** Writes a text for a terminal, without a line end. */
  public void write(String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(text);
    out.flush();
  }

  /** Waits before the next request; returns false if the command is to end. */
  public static boolean pause(Duration time) {
    try {
      Thread.sleep(time);
      return true;
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Returns an option's value if it is allowed. */
  public long between(String option, long value, long least, long most) {
    return usage(() -> Usage.between(option, value, least, most));
  }

  /** Reads an option's size, which is not 0. */
  public long bytes(String option, String text, String example) {
    return ByteSize.parse(text).stream()
        .filter(bytes -> bytes > 0)
        .findFirst()
        .orElseThrow(() ->
            wrong(
                "%s: '%s' must be a size with its unit, such as '%s'"
                    .formatted(option, text, example)));
  }

  /** Reads arguments; their mistakes are wrong usage. */
  public <T> T usage(Supplier<T> reading) {
    return Usage.of(spec, reading);
  }

  public ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}

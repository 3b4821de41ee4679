package dev.ebb.dist;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** A node of a cluster: {@code ebb serve} in a folder of its own, started, stopped and harmed. */
final class EbbProcess {

  static final String PASSWORD = "a-password-of-tests";

  private static final HttpClient HTTP =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

  final String name;
  final String rack;
  final NodeAddress address;
  private final Path folder;
  private final Map<String, String> environment;
  private final Supplier<String> configuration;
  private String launcher = Ebb.launcher();
  private @Nullable Process process;
  private volatile boolean paused;
  private volatile long disturbedAt = System.nanoTime();

  EbbProcess(
      String name,
      String rack,
      NodeAddress address,
      Path folder,
      Supplier<String> configuration,
      Map<String, String> environment) {
    this.name = name;
    this.rack = rack;
    this.address = address;
    this.folder = folder;
    this.configuration = configuration;
    this.environment = environment;
  }

  /** Sets the release that the next start uses. */
  void launchWith(String other) {
    launcher = other;
  }

  Path folder() {
    return folder;
  }

  /** Starts the process, and does not wait for it. */
  void start() throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("ebb.conf"), configuration.get());
    List<String> command = new ArrayList<>(address.prefix());
    command.addAll(List.of(launcher, "serve"));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    Ebb.prepare(builder, "-Xmx384m " + Ebb.SMALL_PROCESS);
    builder.environment().putAll(environment);
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("output.log").toFile()));
    process = builder.start();
    disturbed();
    paused = false;
  }

  /** Ends it as {@code kill -9} does, and waits until it has ended. */
  void kill() {
    Process running = process;
    if (running != null) {
      running.destroyForcibly();
      running.onExit().join();
    }
    disturbed();
    paused = false;
  }

  /** Ends it with {@code SIGTERM}; it must end within a minute. */
  void terminate() {
    Process running = process;
    if (running != null) {
      disturbed();
      running.destroy();
      running
          .onExit()
          .orTimeout(60, TimeUnit.SECONDS)
          .exceptionally(late -> {
            // The JVM writes its threads to its output.
            signal("QUIT");
            ClusterProcesses.sleep(2_000);
            throw new AssertionError(name + " did not end after SIGTERM: " + output());
          })
          .join();
    }
  }

  void pause() {
    paused = true;
    disturbed();
    signal("STOP");
  }

  void resume() {
    signal("CONT");
    disturbed();
    paused = false;
  }

  /** Notes that a fault begins or ends, so that no answer is expected for a while. */
  void disturbed() {
    disturbedAt = System.nanoTime();
  }

  /** Returns whether no fault of this node began or ended since a time. */
  boolean undisturbedSince(long nanos) {
    return disturbedAt - nanos < 0;
  }

  private void signal(String signal) {
    Shell.run(folder, "kill", "-" + signal, Long.toString(pid()));
  }

  long pid() {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException(name + " was not started");
    }
    return running.pid();
  }

  boolean alive() {
    Process running = process;
    return running != null && running.isAlive();
  }

  /** Returns whether it is alive and not paused. */
  boolean runs() {
    return alive() && !paused;
  }

  RespClient client(int timeoutMillis) throws IOException {
    return new RespClient(
        new InetSocketAddress(address.clientHost(), address.respPort()), PASSWORD, timeoutMillis);
  }

  boolean serves() {
    try (RespClient client = client(2_000)) {
      return client.call("PING") != null;
    } catch (IOException | RespClient.ServerError notYet) {
      return false;
    }
  }

  /** Returns a document of the admin API; empty if there is no answer with status 200. */
  Optional<JsonNode> admin(String path) {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(
                  URI.create(
                      "http://%s:%d%s".formatted(address.clientHost(), address.adminPort(), path)))
              .timeout(Duration.ofSeconds(5))
              .header("Authorization", "Bearer " + PASSWORD)
              .build();
      HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 200
          ? Optional.of(new ObjectMapper().readTree(answer.body()))
          : Optional.empty();
    } catch (IOException notYet) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** Returns the last of what it has written to its output. */
  String output() {
    try {
      String all = Files.readString(folder.resolve("output.log"));
      return all.substring(Math.max(0, all.length() - 4_000));
    } catch (IOException none) {
      return "";
    }
  }

  @Override
  public String toString() {
    return name + "/" + rack;
  }
}

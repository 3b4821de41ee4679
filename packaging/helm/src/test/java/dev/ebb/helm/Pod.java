package dev.ebb.helm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** A pod of the chart, executed as processes of this machine: its volumes are folders. */
final class Pod implements AutoCloseable {

  /** Checks no certificates, as the kubelet does not. */
  private static final HttpClient HTTP = HttpClient.newBuilder().sslContext(trusting()).build();

  /** Of a JVM that runs beside others for some seconds. */
  static final String JAVA_OPTIONS =
      "-XX:TieredStopAtLevel=1 -XX:-UseParallelGC -XX:+UseSerialGC -XX:MetaspaceSize=128m";

  private static final int START_SECONDS = 120;

  final String name;
  private final Chart.Rendered release;
  private final Path volumes;
  private final String api;
  private String address = "";
  private @Nullable Process process;

  /**
   * Creates the volumes of a pod.
   *
   * @param files what Kubernetes or its users put into volumes, by volume
   */
  Pod(
      String name,
      Chart.Rendered release,
      Path folder,
      String api,
      Map<String, Map<String, Path>> files)
      throws IOException {
    this.name = name;
    this.release = release;
    this.volumes = folder;
    this.api = api;
    for (JsonNode volume : release.pod().path("volumes")) {
      Path target = Files.createDirectories(volumes.resolve(volume.path("name").asString()));
      for (Map.Entry<String, Path> file :
          files.getOrDefault(volume.path("name").asString(), Map.of()).entrySet()) {
        Files.copy(file.getValue(), target.resolve(file.getKey()));
      }
    }
  }

  String address() {
    return address;
  }

  /** Starts the pod at an address: first the init container, then Ebb; waits for its probes. */
  void start(String at) throws IOException, InterruptedException {
    address = at;
    Files.writeString(
        volumes.resolve("config/ebb.conf"),
        onThisMachine(release.container(), release.configuration()));
    for (JsonNode init : release.pod().path("initContainers")) {
      // 'folders' changes owners, which only root can.
      if (!init.path("name").asString().equals("folders")) {
        assertThat(run(init, init.path("command"))).isEmpty();
      }
    }
    JsonNode ebb = release.container();
    List<String> command = new ArrayList<>(List.of(Chart.ROOT.resolve("ebb").toString()));
    command.addAll(words(ebb, ebb.path("args")));
    process = builder(ebb, command).redirectOutput(volumes.resolve("output.log").toFile()).start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (!passes("startupProbe") || !passes("readinessProbe")) {
      assertThat(process.isAlive() && System.nanoTime() < end)
          .as("%s: %s", name, output())
          .isTrue();
      TimeUnit.MILLISECONDS.sleep(200);
    }
    assertThat(passes("livenessProbe")).isTrue();
  }

  /** Stops it as the kubelet does, and returns what the hook wrote. */
  String stop() throws IOException, InterruptedException {
    JsonNode ebb = release.container();
    JsonNode preStop = ebb.at("/lifecycle/preStop/exec/command");
    String hook = preStop.isMissingNode() ? "" : run(ebb, preStop);
    assertThat(process).isNotNull();
    process.destroy();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(output()).isTrue();
    assertThat(process.exitValue()).isEqualTo(143);
    return hook;
  }

  String output() throws IOException {
    return Files.readString(volumes.resolve("output.log"));
  }

  private boolean passes(String probe) throws InterruptedException {
    JsonNode get = release.container().at("/" + probe + "/httpGet");
    assertThat(get.path("port").asString()).isEqualTo("admin");
    try {
      return get(get.path("path").asString()).statusCode() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Sends a request to the HTTP API. */
  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    String scheme = release.container().at("/readinessProbe/httpGet/scheme").asString();
    return HTTP.send(
        HttpRequest.newBuilder(
                URI.create("%s://%s:%d%s".formatted(scheme, address, port("admin"), path)))
            .header("Authorization", "Bearer " + secret("admin-token"))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private int port(String port) {
    return release
        .container()
        .path("ports")
        .valueStream()
        .filter(each -> each.path("name").asString().equals(port))
        .findFirst()
        .orElseThrow()
        .path("containerPort")
        .asInt();
  }

  /** Connects as a client of the service. */
  Resp client() throws IOException {
    Resp client = new Resp(new InetSocketAddress(address, port("resp")));
    client.call("AUTH", secret("password"));
    return client;
  }

  Path volume(String volume) {
    return volumes.resolve(volume);
  }

  private static SSLContext trusting() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new TrustAll()}, null);
      return context;
    } catch (GeneralSecurityException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static final class TrustAll extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  String secret(String key) {
    String encoded = release.one("Secret").path("data").path(key).asString();
    return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
  }

  private String run(JsonNode container, JsonNode command)
      throws IOException, InterruptedException {
    Process run = builder(container, words(container, command)).start();
    String output = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(run.waitFor()).as(output).isZero();
    return output;
  }

  private List<String> words(JsonNode container, JsonNode command) {
    return command.valueStream().map(word -> onThisMachine(container, word.asString())).toList();
  }

  private ProcessBuilder builder(JsonNode container, List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.directory(volumes.resolve("work").toFile());
    builder.environment().put("EBB_JAVA_HOME", System.getProperty("java.home"));
    container
        .path("env")
        .forEach(each -> builder.environment().put(each.path("name").asString(), value(each)));
    return builder;
  }

  private String value(JsonNode variable) {
    JsonNode from = variable.path("valueFrom");
    if (from.has("secretKeyRef")) {
      return secret(from.at("/secretKeyRef/key").asString());
    }
    return switch (from.at("/fieldRef/fieldPath").asString("")) {
      case "metadata.name" -> name;
      case "spec.nodeName" -> "machine-of-" + name;
      case "status.podIP" -> address;
      default -> variable.path("value").asString();
    };
  }

  /**
   * Replaces what only exists in a container: its paths, the API server, the address of all
   * interfaces.
   */
  private String onThisMachine(JsonNode container, String text) {
    Map<String, String> paths = new TreeMap<>(Comparator.reverseOrder());
    paths.put("/opt/ebb/", Chart.ROOT + "/");
    paths.put("/plugin-sources/*", volumes + "/plugins-*");
    for (JsonNode mount : container.path("volumeMounts")) {
      Path folder =
          volumes
              .resolve(mount.path("name").asString())
              .resolve(mount.path("subPath").asString(""));
      paths.put(mount.path("mountPath").asString(), folder.toString());
    }
    String replaced =
        text.replace("https://kubernetes.default.svc", api).replace("0.0.0.0", address);
    for (Map.Entry<String, String> path : paths.entrySet()) {
      replaced = replaced.replace(path.getKey(), path.getValue());
    }
    return replaced;
  }

  @Override
  public void close() {
    if (process != null) {
      process.destroyForcibly();
    }
  }
}

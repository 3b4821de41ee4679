package dev.ebb.llama.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.llama.testing.Engine;
import dev.ebb.server.cli.EngineProvider;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The npm package {@code openai}, in Node.js, against the demo model. */
class OpenAiClientTest {

  @TempDir private Path folder;

  private record Result(int exitCode, String output) {}

  /** Runs a command that finds the packages of a folder. */
  private Result run(String packages, String... command) throws Exception {
    Path out = folder.resolve("out");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
    builder.environment().put("NODE_PATH", packages);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Result(process.exitValue(), Files.readString(out));
  }

  /** Returns the folder of npm's global packages, if the client is one. */
  private String packages() throws Exception {
    String packages;
    try {
      packages = run("", "npm", "root", "--global").output.strip();
    } catch (IOException none) {
      return Assumptions.abort("Node.js with npm is missing");
    }
    Assumptions.assumeTrue(
        run(packages, "node", "-e", "require('openai')").exitCode == 0,
        "the npm package openai is missing: npm install --global openai@6");
    return packages;
  }

  private Path script() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(getClass().getResourceAsStream("openai-client.js"))) {
      return Files.writeString(
          folder.resolve("client.js"), new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  @Test
  void chatsStreamsFunctionsAndJsonWork() throws Exception {
    Engine.assumeRuns();
    String packages = packages();
    Path model = folder.resolve("demo.gguf");
    assertThat(
            new CommandLine(new EngineProvider().command())
                .execute("demo-model", model.toString(), "--layers", "1"))
        .isZero();
    try (TestServer server =
        TestServer.start(model, TestServer.configure(folder), 2_048, 4, "lru")) {
      String url = "http://127.0.0.1:%d/v1".formatted(server.server.address().getPort());
      Result result = run(packages, "node", script().toString(), url);
      assertThat(result.exitCode).as(result.output).isZero();
      List<String> lines = result.output.lines().toList();
      assertThat(lines)
          .contains(
              "model tiny",
              "json object",
              "schema city",
              "tools get_weather string",
              "streamed tools get_weather",
              "error 404 model_not_found");
      assertThat(lines.get(1)).matches("chat \"[a-z0-9 .,\\\\\"]+\"");
      assertThat(lines.get(2)).isEqualTo(lines.get(1).replace("chat", "stream"));
    }
  }
}

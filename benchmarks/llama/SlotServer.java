import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import de.kherud.llama.InferenceParameters;
import de.kherud.llama.LlamaModel;
import de.kherud.llama.LlamaOutput;
import de.kherud.llama.ModelParameters;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The slots of llama.cpp's own server, of the same library build as Ebb's engine, behind the part
 * of OpenAI's API that {@code ebb bench engine} uses. The JNI library of {@code de.kherud:llama}
 * contains llama-server's {@code server_context}: it selects slots, keeps their prompts, and
 * batches continuously. This program only adds HTTP.
 *
 * <p>Started as a source file by {@code against-llama-server.sh}.
 */
public final class SlotServer {

  private static final JsonMapper JSON = new JsonMapper();
  private static final Pattern PROMPT_EVALUATION =
      Pattern.compile("prompt eval time = +[\\d.]+ ms / +(\\d+) tokens");

  private final LlamaModel model;
  private final int slotCells;
  private final Path log;
  private final AtomicLong answered = new AtomicLong();

  private SlotServer(LlamaModel model, int slotCells, Path log) {
    this.model = model;
    this.slotCells = slotCells;
    this.log = log;
  }

  public static void main(String... arguments) throws IOException {
    if (arguments.length != 8) {
      System.err.println(
          "usage: SlotServer MODEL PORT CELLS SLOTS BATCH THREADS FLASH_ATTENTION LOG_FILE");
      System.exit(2);
    }
    Path log = Path.of(arguments[7]);
    int cells = Integer.parseInt(arguments[2]);
    int slots = Integer.parseInt(arguments[3]);
    int threads = Integer.parseInt(arguments[5]);
    ModelParameters parameters =
        new ModelParameters()
            .setModel(arguments[0])
            .setCtxSize(cells)
            .setParallel(slots)
            .setBatchSize(Integer.parseInt(arguments[4]))
            .setUbatchSize(Integer.parseInt(arguments[4]))
            .setThreads(threads)
            .setThreadsBatch(threads)
            .setLogFile(log.toString());
    if (Boolean.parseBoolean(arguments[6])) {
      parameters.enableFlashAttn();
    }
    SlotServer api = new SlotServer(new LlamaModel(parameters), cells / slots, log);
    HttpServer server =
        HttpServer.create(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1])),
            64);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext(
        "/v1/models",
        exchange -> {
          Map<String, ?> models = Map.of("object", "list", "data", List.of(Map.of("id", "slots")));
          send(exchange, "application/json", JSON.writeValueAsString(models));
        });
    server.createContext("/metrics", exchange -> send(exchange, "text/plain", api.metrics()));
    server.createContext("/v1/completions", api::complete);
    server.start();
    System.out.println("serving");
  }

  private static void send(HttpExchange exchange, String type, String text) throws IOException {
    try (exchange) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", type);
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  /** Sums what the server has logged about each answer. A thread of its own writes the log. */
  private String metrics() throws IOException {
    while (true) {
      long lines = 0;
      long tokens = 0;
      Matcher logged = PROMPT_EVALUATION.matcher(Files.readString(log));
      while (logged.find()) {
        lines++;
        tokens += Long.parseLong(logged.group(1));
      }
      if (lines >= answered.get()) {
        return "llamacpp:prompt_tokens_total " + tokens + "\n";
      }
      Thread.onSpinWait();
    }
  }

  private void complete(HttpExchange exchange) throws IOException {
    try (exchange) {
      JsonNode asked = JSON.readTree(exchange.getRequestBody().readAllBytes());
      String prompt = asked.get("prompt").stringValue();
      // With the token for the beginning.
      int promptTokens = model.encode(prompt).length + 1;
      int maxTokens = asked.get("max_tokens").intValue();
      if (promptTokens + maxTokens > slotCells) {
        // llama.cpp would drop a part of the prompt, so that the measurement would mean nothing.
        exchange.sendResponseHeaders(400, -1);
        return;
      }
      InferenceParameters parameters =
          new InferenceParameters(prompt)
              .setCachePrompt(true)
              .setTemperature(0)
              .setIgnoreEos(true)
              .setNPredict(maxTokens);
      exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
      exchange.sendResponseHeaders(200, 0);
      long generated = 0;
      try (OutputStream out = exchange.getResponseBody()) {
        for (LlamaOutput output : model.generate(parameters)) {
          generated += output.text.isEmpty() ? 0 : 1;
          event(out, Map.of("choices", List.of(Map.of("index", 0, "text", output.text))));
        }
        answered.incrementAndGet();
        Map<String, ?> usage =
            Map.of(
                // With the token for the beginning.
                "prompt_tokens", model.encode(prompt).length + 1, "completion_tokens", generated);
        event(
            out,
            Map.of(
                "choices",
                List.of(Map.of("index", 0, "text", "", "finish_reason", "length")),
                "usage",
                usage));
        out.write("data: [DONE]\n\n".getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private static void event(OutputStream out, Object document) throws IOException {
    out.write(
        ("data: " + JSON.writeValueAsString(document) + "\n\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}

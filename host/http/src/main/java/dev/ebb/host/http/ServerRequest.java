package dev.ebb.host.http;

import static java.util.Objects.requireNonNull;

import com.sun.net.httpserver.HttpExchange;
import dev.ebb.host.units.Percent;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

public final class ServerRequest {

  /** The memory for a body when it begins. */
  private static final int FIRST_BYTES = 4 << 10;

  private final HttpExchange exchange;
  private final Map<String, String> captured;
  private final Operation operation;
  private final RequestMemory memory;
  private final String owner;

  ServerRequest(HttpExchange exchange, Routes.Match match, RequestMemory memory, String owner) {
    this.exchange = exchange;
    this.memory = memory;
    this.owner = owner;
    captured = match.captured();
    operation = match.route().operation();
  }

  /** Returns the owner of the request's token; empty if it has none. */
  public String owner() {
    return owner;
  }

  public InetSocketAddress client() {
    return exchange.getRemoteAddress();
  }

  public InetSocketAddress server() {
    return exchange.getLocalAddress();
  }

  /** Returns the first value of a header; null if the client has sent none. */
  public @Nullable String header(String name) {
    return exchange.getRequestHeaders().getFirst(name);
  }

  /** Returns the value of a path parameter, percent-encoded as it was sent. */
  public String path(String name) {
    String value = captured.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the route has no '" + name + "'");
    }
    return value;
  }

  /** Returns the query parameters; refuses unknown ones and those that occur twice. */
  public Query query() {
    List<String> names = Field.names(operation.query());
    Map<String, String> values = new HashMap<>();
    String query = exchange.getRequestURI().getRawQuery();
    for (String part : query == null || query.isEmpty() ? new String[0] : query.split("&", -1)) {
      int equals = part.indexOf('=');
      String name = Percent.decodeText(equals < 0 ? part : part.substring(0, equals));
      if (!names.contains(name)) {
        throw HttpException.bad(
            "unknown parameter '%s'; %s"
                .formatted(name, names.isEmpty() ? "there is none" : "allowed: " + names));
      }
      String value = equals < 0 ? "" : part.substring(equals + 1).replace('+', ' ');
      if (values.put(name, value) != null) {
        throw HttpException.bad("the parameter '%s' is given twice".formatted(name));
      }
    }
    return new Query(values, operation.query());
  }

  /** Returns the body, which must be a JSON object with known properties. */
  public Body body() {
    return Body.of(bytes(), requireNonNull(operation.body()));
  }

  public JsonNode json() {
    return Json.parse(bytes());
  }

  public byte[] bytes() {
    try {
      return read(exchange.getRequestBody(), operation.maxBodyBytes());
    } catch (IOException broken) {
      throw HttpException.bad("the body could not be read: " + broken.getMessage());
    } catch (IndexOutOfBoundsException ofTheJdk) {
      // Its reader of chunks throws it for a length of 2 GiB or more.
      throw HttpException.bad("the body could not be read: a chunk is too large");
    }
  }

  /** Reads a body. Only the bytes that have arrived use memory, not those that were announced. */
  private byte[] read(InputStream in, int maxBodyBytes) throws IOException {
    byte[] bytes = larger(new byte[0], maxBodyBytes);
    int size = 0;
    for (int part = 0; part >= 0; part = in.read(bytes, size, bytes.length - size)) {
      size += part;
      if (size > maxBodyBytes) {
        throw tooLarge(maxBodyBytes);
      }
      if (size == bytes.length) {
        bytes = larger(bytes, maxBodyBytes);
      }
    }
    memory.use(size);
    return Arrays.copyOf(bytes, size);
  }

  private byte[] larger(byte[] bytes, int maxBodyBytes) {
    int length = Math.min(Math.max(FIRST_BYTES, 2 * bytes.length), maxBodyBytes + 1);
    memory.use(length);
    byte[] larger = Arrays.copyOf(bytes, length);
    memory.free(bytes.length);
    return larger;
  }

  static void checkLength(@Nullable String contentLength, int maxBodyBytes) {
    // The HTTP server rejects a length that is not a number.
    if (contentLength != null && Long.parseLong(contentLength.strip()) > maxBodyBytes) {
      throw tooLarge(maxBodyBytes);
    }
  }

  private static HttpException tooLarge(int maxBodyBytes) {
    return new HttpException(
        413, "the body is larger than the '%d' bytes allowed".formatted(maxBodyBytes));
  }
}

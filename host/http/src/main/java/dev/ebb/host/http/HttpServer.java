package dev.ebb.host.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.limits.MemoryBudget;
import dev.ebb.host.tls.ServerTls;
import dev.ebb.host.tls.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An HTTP server for operators. Each request runs on its own virtual thread. */
public final class HttpServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);

  /** Logs the calls that may change something. */
  private static final Logger AUDIT = LoggerFactory.getLogger("audit");

  private static final int BACKLOG = 64;
  private static final int MOST_READ_ON = 128 << 20;

  /** Replies of this size are not counted, so that a busy server still answers. */
  private static final int SMALL_REPLY = 64 << 10;

  /** What a connection uses at most, beside a body or a large reply: headers and buffers. */
  private static final int CONNECTION_BYTES = 128 << 10;

  /** The part of the heap for bodies and replies. */
  private static final int HEAP_PART = 10;

  /** The part of the heap that the headers and buffers of all connections may need. */
  private static final int CONNECTIONS_PART = 3;

  private static final MemoryBudget PROCESS =
      MemoryBudget.of(Runtime.getRuntime().maxMemory() / HEAP_PART);

  private final com.sun.net.httpserver.HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Routes routes;
  private final RequestGuard guard;
  private final ErrorFormat errors;
  private final MemoryBudget clients;
  private final @Nullable ServerTls tls;

  private HttpServer(
      com.sun.net.httpserver.HttpServer server,
      Routes routes,
      RequestGuard guard,
      ErrorFormat errors,
      MemoryBudget clients,
      @Nullable ServerTls tls) {
    this.server = server;
    this.routes = routes;
    this.guard = guard;
    this.errors = errors;
    this.clients = clients;
    this.tls = tls;
  }

  /**
   * Limits the connections and the request time of clients. Must be called before the first server
   * starts, in a process that belongs to Ebb. The limits apply to all JDK HTTP servers of the
   * process.
   */
  public static void limitProcess() {
    long connections = Runtime.getRuntime().maxMemory() / CONNECTIONS_PART / CONNECTION_BYTES;
    limit("jdk.httpserver.maxConnections", Long.toString(Math.clamp(connections, 64, 4_096)));
    limit("sun.net.httpserver.idleInterval", "10");
    limit("sun.net.httpserver.maxReqTime", "10");
    limit("sun.net.httpserver.maxReqHeaders", "64");
    limit("sun.net.httpserver.maxReqHeaderSize", "32768");
    limit("sun.net.httpserver.nodelay", "true");
  }

  private static void limit(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  /** Returns the memory for bodies and replies of all servers without a budget of their own. */
  public static MemoryBudget clientMemory() {
    return PROCESS;
  }

  /** Starts a server whose clients share memory with those of others. */
  public static HttpServer open(HttpOptions options, Routes routes, MemoryBudget clients) {
    return open(options, routes, ErrorFormat.PLAIN, clients);
  }

  /** Starts a server with another format of errors. */
  public static HttpServer open(HttpOptions options, Routes routes, ErrorFormat errors) {
    return open(options, routes, errors, PROCESS);
  }

  private static HttpServer open(
      HttpOptions options, Routes routes, ErrorFormat errors, MemoryBudget clients) {
    InetSocketAddress wanted = options.address();
    TlsFiles files = options.tls();
    ServerTls tls = files == null ? null : ServerTls.open(files, options.names().tls());
    try {
      HttpServer opened =
          new HttpServer(
              tls == null
                  ? com.sun.net.httpserver.HttpServer.create(wanted, BACKLOG)
                  : encrypted(wanted, tls),
              routes,
              new RequestGuard(options.tokens(), options.names().token()),
              errors,
              clients,
              tls);
      opened.server.setExecutor(opened::execute);
      opened.server.createContext("/", opened::serve);
      opened.server.start();
      return opened;
    } catch (IOException refused) {
      if (tls != null) {
        tls.close();
      }
      throw new UserError(
          "cannot listen on '%s:%d': %s; stop what listens there, or choose another with %s"
              .formatted(
                  wanted.getHostString(),
                  wanted.getPort(),
                  refused.getMessage(),
                  options.names().port()));
    }
  }

  private static HttpsServer encrypted(InetSocketAddress wanted, ServerTls tls) throws IOException {
    HttpsServer server = HttpsServer.create(wanted, BACKLOG);
    server.setHttpsConfigurator(
        new HttpsConfigurator(tls.context()) {
          @Override
          public void configure(HttpsParameters connection) {
            SSLParameters parameters = getSSLContext().getDefaultSSLParameters();
            parameters.setNeedClientAuth(tls.needsClientCertificate());
            connection.setSSLParameters(parameters);
          }
        });
    return server;
  }

  /** Returns {@code http} or {@code https}. */
  public String scheme() {
    return tls == null ? "http" : "https";
  }

  /**
   * Runs a request on its own thread. First clears an interrupt of the accepting thread, which
   * would otherwise stop accepting connections.
   */
  private void execute(Runnable call) {
    var _ = Thread.interrupted();
    threads.execute(call);
  }

  public InetSocketAddress address() {
    return server.getAddress();
  }

  /**
   * Stops the server; running requests get at most one second. Event streams must be closed before.
   */
  @Override
  public void close() {
    server.stop(1);
    threads.shutdownNow();
    if (tls != null) {
      tls.close();
    }
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange;
        RequestMemory memory = new RequestMemory(clients)) {
      switch (answer(exchange, memory)) {
        case Reply.Whole whole -> send(exchange, whole);
        case Reply.Stream stream -> stream(exchange, stream);
      }
    }
  }

  private Reply answer(HttpExchange exchange, RequestMemory memory) {
    String method = exchange.getRequestMethod();
    String path = exchange.getRequestURI().getRawPath();
    try {
      Routes.Match match = routes.find(method, path == null ? "" : path);
      Operation operation = match.route().operation();
      String owner =
          guard.check(
              exchange.getRemoteAddress().getHostString(),
              method,
              exchange.getRequestHeaders(),
              operation);
      ServerRequest.checkLength(
          exchange.getRequestHeaders().getFirst("Content-Length"), operation.maxBodyBytes());
      if (operation.access() == Operation.Access.CHANGE) {
        AUDIT.info("call remote={} method={} path={}", exchange.getRemoteAddress(), method, path);
      }
      return counted(
          match.route().handler().apply(new ServerRequest(exchange, match, memory, owner)), memory);
    } catch (HttpException fault) {
      if (fault.status() == 413 || fault.status() == 503) {
        memory.close();
        readOn(exchange);
      }
      return error(fault.status(), fault.reason(), headers(fault.status()));
    } catch (Routes.MethodException fault) {
      return error(405, String.valueOf(fault.getMessage()), Map.of("Allow", fault.allowed));
    } catch (UserError mistake) {
      return error(400, String.join("; ", mistake.messages()), Map.of());
    } catch (RuntimeException | Error failed) {
      // An Error too: the client would get no answer, and not know whether the call had an effect.
      LOG.error("call failed method={} path={}", method, path, failed);
      return error(500, "failed inside; the log says why", Map.of());
    }
  }

  /** Counts a large reply, which stays in memory until its client has read it. */
  private static Reply counted(Reply reply, RequestMemory memory) {
    if (reply instanceof Reply.Whole whole && whole.bytes().length > SMALL_REPLY) {
      memory.use(whole.bytes().length);
    }
    return reply;
  }

  private static Map<String, String> headers(int status) {
    return status == 401 ? Map.of("WWW-Authenticate", "Bearer") : Map.of();
  }

  private Reply error(int status, String message, Map<String, String> headers) {
    return Reply.error(status, errors.document(status, message), headers);
  }

  /**
   * Reads the rest of a request. A client that is still sending would get a connection reset
   * instead of the response.
   */
  private static void readOn(HttpExchange exchange) {
    byte[] dropped = new byte[8 << 10];
    try {
      InputStream body = exchange.getRequestBody();
      int part = 0;
      for (int read = 0; part >= 0 && read < MOST_READ_ON; read += part) {
        part = body.read(dropped);
      }
    } catch (IOException gone) {
      LOG.debug("caller gone reason={}", gone.getMessage());
    }
  }

  private static void send(HttpExchange exchange, Reply.Whole whole) throws IOException {
    headers(exchange, whole.type());
    whole.headers().forEach(exchange.getResponseHeaders()::set);
    if (whole.status() == 429 || whole.status() == 503) {
      exchange.getResponseHeaders().set("Retry-After", "1");
    }
    boolean head = exchange.getRequestMethod().equals("HEAD");
    if (head) {
      exchange.getResponseHeaders().set("Content-Length", Integer.toString(whole.bytes().length));
    }
    exchange.sendResponseHeaders(whole.status(), head ? -1 : whole.bytes().length);
    if (!head) {
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(whole.bytes());
      }
    }
  }

  private static void stream(HttpExchange exchange, Reply.Stream stream) throws IOException {
    try (Reply.Output output = stream.output()) {
      boolean head = exchange.getRequestMethod().equals("HEAD");
      headers(exchange, stream.type());
      exchange.sendResponseHeaders(200, head ? -1 : 0);
      if (head) {
        return;
      }
      try (OutputStream out = exchange.getResponseBody()) {
        output.writeTo(out);
      }
    } catch (InterruptedException over) {
      Thread.currentThread().interrupt();
    }
  }

  private static void headers(HttpExchange exchange, String type) {
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
  }
}

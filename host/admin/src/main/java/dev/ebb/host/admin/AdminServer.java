package dev.ebb.host.admin;

import dev.ebb.host.config.server.AdminConfig;
import dev.ebb.host.config.server.ListenConfig;
import dev.ebb.host.http.AccessTokens;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.http.HttpServer;
import dev.ebb.host.http.Operation;
import dev.ebb.host.limits.MemoryBudget;
import java.net.InetSocketAddress;
import java.util.List;

public final class AdminServer implements AutoCloseable {

  private final AdminApi api;
  private final HttpServer server;

  private AdminServer(AdminApi api, HttpServer server) {
    this.api = api;
    this.server = server;
  }

  /** Returns the options; a message about a port that is taken names {@code portOption}. */
  public static HttpOptions options(AdminConfig config, String portOption) {
    ListenConfig listen = config.listen();
    return new HttpOptions(
        listen.address(),
        AccessTokens.of(listen.secret()),
        listen.tls(),
        new HttpOptions.Names(portOption, "ebb.admin.token", "ebb.admin.tls"));
  }

  /** Starts the server, which takes ownership of the API. */
  public static AdminServer open(HttpOptions options, AdminApi api, MemoryBudget clients) {
    HttpServer.limitProcess();
    try {
      return new AdminServer(api, HttpServer.open(options, api.routes(), clients));
    } catch (RuntimeException refused) {
      api.close();
      throw refused;
    }
  }

  public void started() {
    api.started();
  }

  /** Returns the address of the server, with the port in use. */
  public InetSocketAddress address() {
    return server.address();
  }

  /** Returns {@code http} or {@code https}. */
  public String scheme() {
    return server.scheme();
  }

  public List<Operation> operations() {
    return api.routes().operations();
  }

  @Override
  public void close() {
    api.close();
    server.close();
  }
}

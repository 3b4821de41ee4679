package dev.ebb.host.serve;

import dev.ebb.host.admin.AdminApi;
import dev.ebb.host.admin.Served;
import dev.ebb.host.config.AdminConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.HttpDoor;
import dev.ebb.host.http.HttpOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** The operators' door of a serving process. */
final class AdminDoor implements AutoCloseable {

  private final AdminApi api;
  private final HttpDoor door;

  private AdminDoor(AdminApi api, HttpDoor door) {
    this.api = api;
    this.door = door;
  }

  /** Checks the configuration. */
  static HttpOptions options(AdminConfig config) {
    InetAddress bind = Addresses.resolve(config.bind());
    if (!bind.isLoopbackAddress() && config.token() == null) {
      throw new UserError(
          "ebb.admin.bind = '%s' is open to other machines, which needs a token; set ebb.admin.token, or listen on 127.0.0.1"
              .formatted(config.bind()));
    }
    return new HttpOptions(
        new InetSocketAddress(bind, config.port()), config.token(), "--admin-port");
  }

  static AdminDoor open(HttpOptions options, Served served) {
    HttpDoor.limitProcess();
    AdminApi api = new AdminApi(served);
    try {
      return new AdminDoor(api, HttpDoor.open(options, api.routes()));
    } catch (RuntimeException refused) {
      api.close();
      throw refused;
    }
  }

  InetSocketAddress address() {
    return door.address();
  }

  List<String> routes() {
    return api.routes().list();
  }

  @Override
  public void close() {
    api.close();
    door.close();
  }
}

package dev.ebb.host.admin;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Body;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Query;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.Pin;
import java.time.Duration;
import java.util.Map;

/** Routes for operators' pins. */
final class PinRoutes {

  private final ObjectStore store;

  PinRoutes(ObjectStore store) {
    this.store = store;
  }

  void addTo(Routes routes) {
    routes
        .add("GET", "/api/v1/pins", this::list)
        .add("POST", "/api/v1/pins", this::pin)
        .add("DELETE", "/api/v1/pins/{key}", this::unpin);
  }

  private Reply list(ServerRequest request) {
    request.query();
    return Reply.json(
        new EntryDocument.Pins(store.pins().stream().map(EntryDocument.PinDocument::of).toList()));
  }

  private Reply pin(ServerRequest request) {
    Body body = request.body("key", "owner", "seconds");
    String key = body.text("key");
    String owner = body.has("owner") ? checked(body.text("owner")) : Pin.DEFAULT_OWNER;
    long seconds = body.has("seconds") ? body.integer("seconds", 1, Pin.LONGEST_SECONDS) : 0;
    boolean there;
    try {
      there = store.pin(BinaryKeys.decoded(key), owner, Duration.ofSeconds(seconds));
    } catch (UserError aboveBudget) {
      throw new HttpException(409, String.join("; ", aboveBudget.messages()));
    }
    if (!there) {
      throw new HttpException(404, "no entry '%s'".formatted(BinaryKeys.shown(key)));
    }
    return Reply.json(
        201,
        store.find(BinaryKeys.decoded(key)).stream()
            .flatMap(entry -> entry.pins().stream())
            .filter(pin -> pin.owner().equals(owner))
            .map(EntryDocument.PinDocument::of)
            .findFirst()
            .orElseThrow(() ->
                new HttpException(
                    404, "'%s' was removed immediately".formatted(BinaryKeys.shown(key)))));
  }

  private Reply unpin(ServerRequest request) {
    Query query = request.query("owner");
    if (!store.unpin(BinaryKeys.decoded(request.path("key")), query.text("owner"))) {
      throw new HttpException(
          404, "no such pin on '%s'".formatted(BinaryKeys.shown(request.path("key"))));
    }
    return Reply.json(Map.of("unpinned", true));
  }

  private static String checked(String owner) {
    if (owner.isBlank() || owner.length() > Pin.LONGEST_OWNER) {
      throw HttpException.bad(
          "owner = '%s' must be a name of 1 to %d characters, not only spaces"
              .formatted(owner, Pin.LONGEST_OWNER));
    }
    return owner;
  }
}

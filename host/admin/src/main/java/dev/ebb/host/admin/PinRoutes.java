package dev.ebb.host.admin;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Body;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Query;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.Pin;
import java.time.Duration;

/** Routes for operators' pins. */
final class PinRoutes {

  private final ObjectStore store;

  PinRoutes(ObjectStore store) {
    this.store = store;
  }

  private record Unpinned(boolean unpinned) {}

  void addTo(Routes routes) {
    routes
        .add(Operation.get("/api/v1/pins", EntryDocument.Pins.class, "all pins"), this::list)
        .add(
            Operation.post("/api/v1/pins", EntryDocument.PinDocument.class, "pins an entry")
                .status(201)
                .body(
                    Field.text("key", "its key; only the percent sign is encoded").needed(),
                    Field.text("owner", "name of the pin"),
                    Field.integer(
                        "seconds", 1, Pin.LONGEST_SECONDS, "its duration; without end if missing")),
            this::pin)
        .add(
            Operation.delete(
                    "/api/v1/pins/{key}",
                    Unpinned.class,
                    "removes all pins of this entry, or those of")
                .query(Field.text("owner", "only the pins of this owner")),
            this::unpin);
  }

  private Reply list(ServerRequest request) {
    request.query();
    return Reply.json(
        new EntryDocument.Pins(store.pins().stream().map(EntryDocument.PinDocument::of).toList()));
  }

  private Reply pin(ServerRequest request) {
    Body body = request.body();
    String key = body.text("key");
    String owner = body.has("owner") ? checked(body.text("owner")) : Pin.DEFAULT_OWNER;
    long seconds = body.has("seconds") ? body.integer("seconds") : 0;
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
    Query query = request.query();
    if (!store.unpin(BinaryKeys.decoded(request.path("key")), query.text("owner"))) {
      throw new HttpException(
          404, "no such pin on '%s'".formatted(BinaryKeys.shown(request.path("key"))));
    }
    return Reply.json(new Unpinned(true));
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

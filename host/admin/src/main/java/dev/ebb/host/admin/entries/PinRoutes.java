package dev.ebb.host.admin.entries;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Body;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Query;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.store.lease.Pin;
import dev.ebb.host.units.Percent;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

public final class PinRoutes {

  private static final String KEY = "key";
  private static final String SYSTEM = "system";
  private static final String TOKENS = "tokens";
  private static final List<String> WAYS = List.of(KEY, "prompt", SYSTEM, TOKENS);

  private static final int[] NONE = {};

  private final EntryOperations entries;

  public PinRoutes(EntryOperations entries) {
    this.entries = entries;
  }

  private record Unpinned(boolean unpinned) {}

  public void addTo(Routes routes) {
    routes
        .document(
            Operation.get("/api/v1/pins", EntryDocument.Pins.class, "all pins"),
            () -> new EntryDocument.Pins(entries.pins()))
        .document(
            Operation.post("/api/v1/pins", EntryDocument.PinDocument.class, "pins an entry")
                .status(201)
                .body(
                    Field.text(KEY, "its key; only the percent sign is encoded"),
                    Field.text("prompt", "in an engine: its last cached block, and all before it"),
                    Field.text(SYSTEM, "in an engine: the same for the system message of a chat"),
                    Field.of(
                        TOKENS,
                        Field.Type.INTEGERS,
                        "the same for a prompt with these first tokens"),
                    Field.text("model", "with tokens: their model; needed for sequences"),
                    Field.text("lora", "with model: the LoRA adapter of the prompt"),
                    Field.text("salt", "with model: the cache salt of the prompt"),
                    Field.text("tenant", "the client with the prompt; without name if missing"),
                    Field.text("owner", "name of the pin"),
                    Field.integer(
                        "seconds", 1, Pin.LONGEST_SECONDS, "its duration; without end if missing")),
            this::pin)
        .document(
            Operation.delete(
                    "/api/v1/pins/{key}",
                    Unpinned.class,
                    "removes all pins of this entry, or those of one owner")
                .query(Field.text("owner", "only the pins of this owner")),
            this::unpin);
  }

  private EntryDocument.PinDocument pin(ServerRequest request) {
    Body body = request.body();
    byte[] key = key(body);
    String owner = body.has("owner") ? checked(body.text("owner")) : Pin.DEFAULT_OWNER;
    long seconds = body.has("seconds") ? body.integer("seconds") : 0;
    try {
      return entries
          .pin(key, owner, Duration.ofSeconds(seconds))
          .orElseThrow(
              () -> new HttpException(404, "no entry '%s'".formatted(BinaryKeys.shown(key))));
    } catch (UserError aboveBudget) {
      throw new HttpException(409, String.join("; ", aboveBudget.messages()));
    }
  }

  private byte[] key(Body body) {
    List<String> given = WAYS.stream().filter(body::has).toList();
    if (given.size() != 1) {
      throw HttpException.bad("exactly one of %s is needed, not %s".formatted(WAYS, given));
    }
    String way = given.getFirst();
    if (way.equals(KEY)) {
      return Percent.decode(body.text(KEY));
    }
    boolean byTokens = way.equals(TOKENS);
    return entries
        .keyOf(
            new EntryOperations.PromptName(
                byTokens ? null : body.text(way),
                way.equals(SYSTEM),
                byTokens ? body.integers(TOKENS, 0, "a list of token ids, such as [1, 306]") : NONE,
                text(body, "tenant"),
                text(body, "model"),
                text(body, "lora"),
                text(body, "salt")))
        .orElseThrow(() ->
            new HttpException(
                404, "nothing of this prompt is cached; send a request with it first"));
  }

  private static @Nullable String text(Body body, String name) {
    return body.has(name) ? body.text(name) : null;
  }

  private Unpinned unpin(ServerRequest request) {
    Query query = request.query();
    if (!entries.unpin(Percent.decode(request.path("key")), query.text("owner"))) {
      throw new HttpException(
          404,
          "no such pin on '%s'".formatted(BinaryKeys.shown(Percent.decode(request.path("key")))));
    }
    return new Unpinned(true);
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

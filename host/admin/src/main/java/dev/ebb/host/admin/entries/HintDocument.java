package dev.ebb.host.admin.entries;

import dev.ebb.host.hint.HintLedger;
import dev.ebb.host.hint.HintRecord;
import dev.ebb.host.http.Field;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.View;
import java.util.List;

/**
 * What became of an action of a client's hints.
 *
 * @param tenant the tenant of the request; empty if unknown
 * @param request the client's name of the request
 * @param message the sender's id of the envelope
 * @param action the sender's id of the action
 * @param outcome {@code applied}, {@code ignored} or {@code refused}; later {@code right} or {@code
 *     unused}
 */
public record HintDocument(
    String time,
    String tenant,
    String request,
    String message,
    String action,
    String type,
    String outcome,
    String reason) {

  /** The latest ones, the last one last. */
  public record Log(List<HintDocument> hints) {}

  static HintDocument of(HintRecord record) {
    return View.of(HintDocument.class, record, record.result())
        .with("time", record.time().toString())
        .get();
  }

  public static void addTo(Routes routes, HintLedger hints) {
    routes.document(
        Operation.get("/api/v1/hints", Log.class, "what became of the latest hints of clients")
            .query(Field.integer("tail", 0, 1_000, "only the latest ones").or(100)),
        request ->
            new Log(
                hints.records((int) request.query().integer("tail")).stream()
                    .map(HintDocument::of)
                    .toList()));
  }
}

package dev.ebb.host.admin.policy;

import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.http.HttpException;
import dev.ebb.host.http.Json;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Reply;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.ServerRequest;
import dev.ebb.host.http.ServerSentEvents;
import dev.ebb.host.shadow.Recording;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/** Routes that record accesses. The caller stores the recording; this process writes no file. */
public final class RecordRoutes {

  private static final int MOST_AT_A_TIME = 4;
  private static final long WAIT_MILLIS = 200;

  private final PolicySite site;
  private final Semaphore free = new Semaphore(MOST_AT_A_TIME);

  public RecordRoutes(PolicySite site) {
    this.site = site;
  }

  public void addTo(Routes routes) {
    routes.add(
        Operation.page(
            "/api/v1/recording",
            ServerSentEvents.TYPE,
            "server-sent events: every access from now on, for `ebb record`"),
        this::open);
  }

  private Reply open(ServerRequest request) {
    request.query();
    if (free.availablePermits() == 0) {
      throw new HttpException(
          503, "'%d' recordings run already; end one of them".formatted(MOST_AT_A_TIME));
    }
    return new Reply.Stream(ServerSentEvents.TYPE, out -> record(new ServerSentEvents(out)));
  }

  private void record(ServerSentEvents stream) throws IOException, InterruptedException {
    if (!free.tryAcquire()) {
      return;
    }
    try (Recording recording = new Recording(site)) {
      List<String> groups = new ArrayList<>();
      stream.send("accesses", Json.text(new RecordingDocument(List.of(), groups, 0)));
      while (true) {
        // An empty batch shows the caller that the recording runs, and detects a closed connection.
        List<long[]> accesses =
            recording.next(WAIT_MILLIS).stream().map(access -> row(access, groups)).toList();
        stream.send(
            "accesses", Json.text(new RecordingDocument(accesses, groups, recording.lost())));
      }
    } finally {
      free.release();
    }
  }

  private long[] row(Recording.Access access, List<String> groups) {
    long[] row = new long[RecordingDocument.IDS + access.ids().length];
    row[0] = access.nanos();
    row[1] = access.bytes();
    row[2] = access.tenant();
    row[3] = access.groups() == null ? 0 : number(access.groups().toString(), groups);
    System.arraycopy(access.ids(), 0, row, RecordingDocument.IDS, access.ids().length);
    return row;
  }

  private static int number(String text, List<String> groups) {
    if (!groups.contains(text)) {
      groups.add(text);
    }
    return groups.indexOf(text) + 1;
  }
}

package dev.ebb.host.enginebench;

import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceReader;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;

/** Traces written in tests. */
final class TraceText {

  /** Two conversations of tenants, one turn of each after the other, and one other request. */
  static final String TWO_CHATS =
      """
      {"timestamp":0,"input_length":60,"output_length":4,"hash_ids":[1,2,3,40],"session_id":"x","tenant":"a"}
      {"timestamp":10,"input_length":40,"output_length":4,"hash_ids":[1,5,60],"session_id":"y","tenant":"b"}
      {"timestamp":20,"input_length":90,"output_length":4,"hash_ids":[1,2,3,4,7,80],"session_id":"x","tenant":"a"}
      {"timestamp":30,"input_length":70,"output_length":9,"hash_ids":[1,5,6,9,100],"session_id":"y","tenant":"b"}
      {"timestamp":40,"input_length":32,"output_length":4,"hash_ids":[11,12]}
      {"timestamp":50,"input_length":130,"output_length":4,"hash_ids":[1,2,3,4,7,8,13,14,150],"session_id":"x","tenant":"a"}
      """;

  private TraceText() {}

  static TraceReader open(String trace) {
    return TraceReader.of(
        "test", new ByteArrayInputStream(trace.getBytes(StandardCharsets.UTF_8)), OnError.STOP);
  }
}

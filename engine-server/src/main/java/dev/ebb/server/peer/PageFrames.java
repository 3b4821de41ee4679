package dev.ebb.server.peer;

import dev.ebb.host.openai.OpenAiJson;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import tools.jackson.core.JacksonException;

/**
 * Pages in the body of a request or an answer: the length of a prompt's JSON, the JSON, and the
 * pages, each behind its checksum.
 *
 * @param prompt whose pages they are
 */
public record PageFrames(PeerPrompt prompt, List<byte[]> pages) {

  /** Returns the bytes of the body. */
  public byte[] bytes() {
    byte[] header = OpenAiJson.text(prompt).getBytes(StandardCharsets.UTF_8);
    int size = Integer.BYTES + header.length;
    for (byte[] page : pages) {
      size = Math.addExact(size, Integer.BYTES + page.length);
    }
    ByteBuffer body = ByteBuffer.allocate(size).putInt(header.length).put(header);
    pages.forEach(page -> body.putInt(checksum(page)).put(page));
    return body.array();
  }

  /**
   * Reads a body.
   *
   * @param pageBytes the size of each page
   * @throws IllegalArgumentException if it is damaged
   */
  public static PageFrames of(byte[] bytes, int pageBytes) {
    ByteBuffer body = ByteBuffer.wrap(bytes);
    try {
      byte[] header = new byte[checked(body.getInt(), body.remaining())];
      body.get(header);
      PeerPrompt prompt =
          OpenAiJson.answer(new String(header, StandardCharsets.UTF_8), PeerPrompt.class);
      List<byte[]> pages = new ArrayList<>();
      while (body.hasRemaining()) {
        int checksum = body.getInt();
        byte[] page = new byte[pageBytes];
        body.get(page);
        if (checksum(page) != checksum) {
          throw new IllegalArgumentException("a page is damaged");
        }
        pages.add(page);
      }
      return new PageFrames(prompt, pages);
    } catch (BufferUnderflowException | JacksonException malformed) {
      throw new IllegalArgumentException("the body does not consist of whole pages", malformed);
    }
  }

  private static int checked(int length, int most) {
    if (length < 0 || length > most) {
      throw new IllegalArgumentException("the body does not consist of whole pages");
    }
    return length;
  }

  private static int checksum(byte[] page) {
    CRC32C crc = new CRC32C();
    crc.update(page);
    return (int) crc.getValue();
  }
}

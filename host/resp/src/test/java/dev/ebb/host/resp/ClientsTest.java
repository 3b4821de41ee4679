package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.params.SetParams;

/** Clients as people use them. */
class ClientsTest {

  private static final long POOL = 32 << 20;

  @Test
  void jedisWorks() {
    try (RunningServer server = RunningServer.of(POOL);
        Jedis jedis = new Jedis("127.0.0.1", server.port(), 60_000)) {
      byte[] key = "large".getBytes(StandardCharsets.UTF_8);
      byte[] value = new byte[5 << 20];
      new Random(1).nextBytes(value);
      assertThat(jedis.set(key, value)).isEqualTo("OK");
      assertThat(jedis.get(key)).isEqualTo(value);
      assertThat(jedis.getrange(key, 100, 199)).hasSize(100);
      assertThat(jedis.set("a", "1", SetParams.setParams().nx().ex(100))).isEqualTo("OK");
      assertThat(jedis.set("a", "2", SetParams.setParams().nx())).isNull();
      assertThat(jedis.ttl("a")).isBetween(98L, 100L);
      assertThat(jedis.mget("a", "none")).containsExactly("1", null);
      Pipeline pipeline = jedis.pipelined();
      for (int i = 0; i < 100; i++) {
        pipeline.set("p" + i, "v" + i);
      }
      assertThat(pipeline.syncAndReturnAll()).hasSize(100).containsOnly("OK");
      assertThat(jedis.dbSize()).isEqualTo(102);
      assertThat(jedis.scan("0", new ScanParams().match("p*").count(1_000)).getResult())
          .hasSize(100);
      assertThat(jedis.del("a", "none")).isEqualTo(1);
      assertThat(jedis.flushAll()).isEqualTo("OK");
      assertThat(jedis.exists("p1")).isFalse();
    }
  }

  @Test
  void lettuceWorks() {
    try (RunningServer server = RunningServer.of(POOL)) {
      RedisClient client = RedisClient.create("redis://127.0.0.1:" + server.port());
      try (StatefulRedisConnection<byte[], byte[]> connection =
          client.connect(ByteArrayCodec.INSTANCE)) {
        var redis = connection.sync();
        byte[] key = {1, 0, 13, 10, -1};
        byte[] value = new byte[1 << 20];
        new Random(2).nextBytes(value);
        assertThat(redis.set(key, value, SetArgs.Builder.px(60_000))).isEqualTo("OK");
        assertThat(redis.get(key)).isEqualTo(value);
        assertThat(redis.pttl(key)).isBetween(1L, 60_000L);
        assertThat(redis.strlen(key)).isEqualTo(1 << 20);
        assertThat(redis.unlink(key)).isEqualTo(1);
        assertThat(redis.get(key)).isNull();
      } finally {
        client.shutdown(java.time.Duration.ZERO, java.time.Duration.ofSeconds(2));
      }
    }
  }
}

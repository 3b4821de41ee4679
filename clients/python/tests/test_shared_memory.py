import re
import unittest
from unittest import mock

import numpy as np
import redis

from ebb_kv import ConnectionLost, Ebb, EbbError
from ebb_kv.memory import SharedMemory
from tests import test_client
from tests.running import Server, ServerTest


def value(seed, size=300_000):
    return np.random.default_rng(seed).integers(0, 256, size, np.uint8)


class SharedMemoryClientTest(test_client.ClientTest):
    """The client's behaviour is the same when values pass through shared memory."""

    def open(self):
        ebb = self.connect(self.server.unix_url)
        self.assertIsNotNone(ebb.memory)
        return ebb


class SharedMemoryTest(ServerTest):
    def setUp(self):
        self.ebb = self.connect(self.server.unix_url)
        self.memory = self.ebb.memory

    def test_a_committed_value_is_read_by_any_client(self):
        with self.memory.place("k", 300_000) as reservation:
            reservation.write(value(1))
            self.assertIsNone(self.ebb.get("k"))
        self.assertEqual(value(1).tobytes(), self.ebb.get("k"))

    def test_a_lease_shows_the_value_where_it_lies(self):
        self.ebb.redis.set("k", value(2).tobytes())
        with self.memory.lease("k") as lease:
            self.assertEqual(300_000, lease.nbytes)
            arrays = lease.arrays()
            np.testing.assert_array_equal(value(2), np.concatenate(arrays))
            self.assertFalse(arrays[0].flags.owndata)
            with self.assertRaises(ValueError):
                arrays[0][0] = 1
        self.assertIsNone(self.memory.lease("missing"))

    def test_a_reservation_whose_block_fails_stores_nothing(self):
        with self.assertRaises(ZeroDivisionError):
            with self.memory.place("k", 10) as reservation:
                reservation.write(b"0123456789"[: 1 // 0])
        self.assertFalse(self.ebb.exists("k"))

    def test_a_value_of_another_size_than_reserved_is_refused(self):
        reservation = self.memory.place("k", 10)
        with self.assertRaisesRegex(ValueError, "'3' bytes given, '10' reserved"):
            reservation.write(b"abc")
        reservation.abort()
        reservation.abort()

    def test_a_leased_value_outlives_its_eviction_and_replacement(self):
        self.ebb.set("k", value(3))
        lease = self.memory.lease("k")
        self.ebb.set("k", value(4))
        for i in range(300):
            self.ebb.set(f"other-{i}", value(i))
        np.testing.assert_array_equal(value(3), np.concatenate(lease.arrays()))
        lease.release()

    def test_one_key_may_be_leased_twice(self):
        self.ebb.set("k", value(5))
        first, second = self.memory.lease_all(["k", "k"])
        third = self.memory.lease("k")
        first.release()
        first.release()
        third.release()
        self.assertTrue(second.read_into(np.zeros(300_000, np.uint8)))
        second.release()
        with self.assertRaisesRegex(EbbError, "no lease"):
            self.memory._run("EBB.RELEASE", "k")

    def test_what_the_server_refuses_to_hold_passes_through_the_socket(self):
        stored = {f"k{i}": value(i, 1_000_000) for i in range(25)}
        with self.assertRaisesRegex(EbbError, "reservations and leases"):
            self.memory.place_all([(key, 1_000_000) for key in stored])
        self.ebb.set_many([(key, [array]) for key, array in stored.items()])
        targets = {key: np.zeros(1_000_000, np.uint8) for key in stored}
        self.assertEqual([True] * 25, self.ebb.get_many_into([(key, [target]) for key, target in targets.items()]))
        for key, target in targets.items():
            np.testing.assert_array_equal(stored[key], target)
        self.memory.place("k", 10_000_000).abort()

    def sent(self):
        """Returns the names of all commands that are sent from now on, as a list for each time."""
        sent = []
        send = self.memory._connection.send_packed_command

        def record(commands):
            sent.append([name.decode() for name in re.findall(rb"EBB\.\w+", b"".join(commands))])
            send(commands)

        self.memory._connection.send_packed_command = record
        return sent

    def test_a_batch_takes_one_command_each_way(self):
        sent = self.sent()
        keys = [f"k{i}" for i in range(16)]
        self.ebb.set_many([(key, [value(i, 1000)]) for i, key in enumerate(keys)])
        target = np.zeros((16, 1000), np.uint8)
        found = self.ebb.get_many_into([(key, [target[i]]) for i, key in enumerate(keys)] + [("missing", [target[0]])])
        self.assertEqual([True] * 16 + [False], found)
        np.testing.assert_array_equal(np.stack([value(i, 1000) for i in range(16)]), target)
        self.assertEqual([["EBB.PLACE"], ["EBB.COMMIT"], ["EBB.LEASE"], ["EBB.RELEASE"]], sent)
        self.assertEqual([], self.memory.place_all([]) + self.memory.lease_all([]))

    def test_leases_that_are_not_flushed_end_with_the_next_command(self):
        self.ebb.set("k", value(1, 1000))
        sent = self.sent()
        target = np.zeros(1000, np.uint8)
        for _ in range(3):
            self.assertEqual([True], self.ebb.get_many_into([("k", [target])], flush=False))
        self.assertEqual([["EBB.LEASE"], ["EBB.RELEASE", "EBB.LEASE"], ["EBB.RELEASE", "EBB.LEASE"]], sent)
        self.assertGreater(self.held(), 0)
        self.ebb.flush()
        self.ebb.flush()
        self.assertEqual(["EBB.RELEASE"], sent[-1])
        self.assertEqual(4, len(sent))
        self.memory.place("other", 1000).abort()
        self.assertEqual(0, self.held())

    def held(self):
        return self.ebb.redis.info()["shared_memory_held"]

    def test_values_of_many_pieces_pass_whole(self):
        others = [f"other-{i}" for i in range(250)]
        self.ebb.set_many([(key, [value(1, 70_000)]) for key in others])
        self.ebb.delete(*others[::2])
        self.ebb.set("k", value(1, 3_000_000))
        lease = self.memory.lease("k")
        self.assertGreater(len(lease.pieces), 1)
        lease.release()
        targets = [np.zeros(1_000_000, np.uint8), np.zeros(2_000_000, np.uint8)]
        self.assertEqual([True], self.ebb.get_many_into([("k", targets)]))
        np.testing.assert_array_equal(value(1, 3_000_000), np.concatenate(targets))

    def test_a_server_without_packed_replies_is_used_as_before(self):
        run = SharedMemory._run

        def older(memory, *words):
            if words[1:]:
                raise EbbError("wrong number of arguments for 'ebb.map' command")
            return run(memory, *words)

        with mock.patch.object(SharedMemory, "_run", older):
            memory = SharedMemory.open(str(self.server.socket))
        with memory:
            memory.place_all([("a", 10), ("b", 0)])[0].write(b"0123456789")
            memory._run("EBB.COMMIT", "a", "b")
            first, missing, empty = memory.lease_all(["a", "missing", "b"])
            self.assertEqual((b"0123456789", None, []), (b"".join(first.pieces), missing, empty.pieces))

    def test_a_refused_batch_holds_nothing(self):
        first = self.memory.place("a", 10)
        with self.assertRaisesRegex(EbbError, "'a'"):
            self.memory.place_all([("b", 10), ("a", 10)])
        first.abort()
        self.memory.abort(self.memory.place_all([("b", 10), ("a", 10)]))

    def test_the_client_connects_again_after_the_server_was_started_again(self):
        server = self.server_to_kill()
        with Ebb(server.unix_url) as ebb:
            ebb.set("k", value(7))
            lost = ebb.memory
            server.restart()
            with self.assertRaises(ConnectionLost):
                lost.lease("k")
            self.assertFalse(ebb.exists("k"))
            ebb.set("k", value(8))
            self.assertIsNot(lost, ebb.memory)
            with ebb.memory.lease("k") as lease:
                np.testing.assert_array_equal(value(8), np.concatenate(lease.arrays()))

    def test_a_lost_connection_is_reported_and_not_opened_again(self):
        server = self.server_to_kill()
        with Ebb(server.unix_url) as ebb:
            ebb.set("k", value(6))
            memory = ebb.memory
            memory.lease("k")
            server.kill()
            for _ in range(2):
                with self.assertRaises(ConnectionLost):
                    memory.lease("other")
            self.assertTrue(memory.lost)

    def test_memory_is_not_used_after_the_server_closed_the_connection(self):
        server = self.server_to_kill()
        with Ebb(server.unix_url) as ebb:
            ebb.set("k", value(6))
            reading, writing = SharedMemory.open(str(server.socket)), SharedMemory.open(str(server.socket))
            lease = reading.lease("k")
            reservation = writing.place("new", 10)
            reservation.write(b"0123456789")
            server.kill()
            with self.assertRaises(ConnectionLost):
                reservation.write(b"abcdefghij")
            self.assertEqual(b"0123456789", b"".join(reservation._pieces))
            with self.assertRaises(ConnectionLost):
                reading.release_later([lease])
            reading.flush()
            for use in (lease.arrays, lambda: lease.read_into(np.zeros(300_000, np.uint8)), lambda: lease.pieces):
                with self.assertRaises(ConnectionLost):
                    use()
            self.assertTrue(reading.lost and writing.lost)


class OtherServersTest(unittest.TestCase):
    def test_values_without_room_are_an_error_if_the_server_says_so(self):
        server = Server(pool="8 MiB", policy="none", more="ebb.server.on-full = error")
        self.addCleanup(server.stop)
        with Ebb(server.unix_url) as ebb:
            ebb.set("k", value(1, 5_000_000))
            with self.assertRaisesRegex(EbbError, "OOM"):
                ebb.memory.place_all([("small", 10), ("large", 2_000_000), ("larger", 2_000_000)])
            # What had room was given back.
            ebb.memory.place("small", 10).commit()
            with self.assertRaisesRegex(redis.ResponseError, "maxmemory"):
                ebb.set_many([("l", [value(2, 2_000_000)]), ("m", [value(3, 2_000_000)])])

    def test_a_value_without_room_does_not_leave_the_one_before(self):
        server = Server(pool="8 MiB", policy="none")
        self.addCleanup(server.stop)
        with Ebb(server.unix_url) as ebb:
            ebb.set("k", value(1, 100_000))
            ebb.set("full", value(2, 6_000_000))
            ebb.set_many([("k", [value(3, 4_000_000)]), ("new", [value(4, 1_000)])])
            self.assertIsNone(ebb.get("k"))
            self.assertEqual(value(4, 1_000).tobytes(), ebb.get("new"))

    def test_a_password_opens_the_shared_memory(self):
        server = Server(password="secret")
        self.addCleanup(server.stop)
        with Ebb(server.unix_url.replace("unix://", "unix://:secret@")) as ebb:
            ebb.set("k", value(1))
            with ebb.memory.lease("k") as lease:
                self.assertEqual(300_000, lease.nbytes)

    def test_values_pass_through_the_socket_if_the_server_does_not_share_its_memory(self):
        server = Server(shared=False)
        self.addCleanup(server.stop)
        with Ebb(server.unix_url) as ebb:
            self.assertIsNone(ebb.memory)
            ebb.set("k", value(9))
            self.assertEqual(value(9).tobytes(), ebb.get("k"))

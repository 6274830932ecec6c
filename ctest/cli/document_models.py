"""The fourteen programs of document 001, chapter 4, written down a second time from the document: functions of p, d and c
in microseconds, on the two machines of its section 4.2. Independent of bmf: for tests that compare with it."""
import math

log = math.log


class T3D:
    alltoall = staticmethod(lambda p, d: 40 * p + 0.3 * p * d)
    gather = staticmethod(lambda p, d: 200 * log(p) + 0.0009 * p * p * d)
    allgather = staticmethod(lambda p, d: 40 * p + 0.3 * p * d)
    allreduce = staticmethod(lambda p, d: 300 + 6 * p + log(p) * d)
    bcast = staticmethod(lambda p, d: 100 + 2 * p + 0.2 * log(p) * d)
    barrier = staticmethod(lambda p: 40)
    send = staticmethod(lambda d: 30 if d <= 32 else 30 + 0.09 * d)
    recv = staticmethod(lambda d: 60 + 0.7 * d if d <= 32 else 60 + 0.5 * d)


class NOW:
    alltoall = staticmethod(lambda p, d: 2000 + 4000 * p * p + 2 * p * p * d)
    gather = staticmethod(lambda p, d: 30000 * log(p) + 4 * log(p) * d)
    allgather = staticmethod(lambda p, d: 8000 * p + 4 * p * p * d)
    allreduce = staticmethod(lambda p, d: 10000 + 500 * p * p + 2 * p * p * d)
    bcast = staticmethod(lambda p, d: 2000 + 700 * p * p + p * d)
    barrier = staticmethod(lambda p: 9000 * p)
    send = staticmethod(lambda d: 2000 + d)
    recv = staticmethod(lambda d: 2000 + d)


MACHINES = {"t3d-1996": T3D, "now-1996": NOW}


def mandel(m, p, d, c):
    return d * (d / p) * c * 8 * 100 + m.barrier(p)


def randmat(m, p, d, c):
    return log(p * d * d / p) * c * 8 + c * d * d / p * 10 + m.barrier(p)


def half(m, p, d, c):
    return d * (d / p) * c * 2 + d * (d / p) * c * 3 + m.alltoall(p, d / p / p)


def life(m, p, d, c):
    return 20 * (2 * m.send(d) + 2 * m.recv(d) + d / p * (c * d) + d * (d / p) * c) + m.barrier(p)


def thresh(m, p, d, c):
    return (d * (d / p) * c + m.allreduce(p, 1) + c * d * d / p + m.allreduce(p, 256) + c * 0.1 * 256 + c * d * d / p
            + m.barrier(p))


def outer(m, p, d, c):
    return m.allgather(p, d / p) + d * 50 * c + d * (d / p) * 50 * c + m.allreduce(p, 1) + d * 50 * c + m.barrier(p)


def elastic(m, p, d, c):
    net = d * 2.5
    near = net / p * c + 2 * m.send(1) + 2 * m.recv(1)
    city = net * c + d * (c * d * net / p + m.allreduce(p, 1) + c * net / p)
    return m.allgather(p, d / p) + c * (d + net / p) + 50 * (near + city + c * net / p) + m.barrier(p)


def invperc(m, p, d, c):
    cells = d * d * 0.1
    return (m.allreduce(p, 4) + c * cells / (p * 10) * 4) * cells


def product(m, p, d, c):
    n = d * 2.5
    return m.allgather(p, n / p) + n * (n / p) * 2 * c + m.barrier(p)


def sor(m, p, d, c):
    n = d * 2.5
    return m.allgather(p, n / p) * 2 + 100 * (n / p * (n * c * 2 + c * 8) + m.allgather(p, n / p) + m.allreduce(p, 1))


def gauss(m, p, d, c):
    n = d * 2.5
    return n * c + n * ((n - n / 2) * 2 * c + 4 * c + m.bcast(p, n) + n * (n / p) * c * 5)


def norm(m, p, d, c):
    return d / p * c + 4 * m.allreduce(p, 1) + d / p * 8 * c + m.barrier(p)


def winnow(m, p, d, c, u=0.1):
    most = d * d * 0.1
    mine = u * most + (1 - u) * most / p
    return (c * (d / p) * 0.1 * 5 + 3 * m.allreduce(p, 1) + 3 * p * c + mine * 3 * c + m.alltoall(p, 1) + 2 * p * c
            + m.alltoall(p, mine) + mine * log(mine) * c * 4 + m.allgather(p, 1) + c * 2 * mine / 4)


def vecdiff(m, p, d, c):
    return c * (d * 2.5 / p) + m.allreduce(p, 2) + m.barrier(p)


PROGRAMS = [mandel, randmat, half, life, thresh, outer, elastic, invperc, product, sor, gauss, norm, winnow, vecdiff]

package agent

// What a task may take, and what is kept of it.
const (
	// defaultTaskTurns is how many requests a task may make where the settings say nothing: work that takes more is
	// better divided.
	defaultTaskTurns = 50

	// mostTasks is how many tasks run at once: each makes requests of its own, and services count requests a minute.
	mostTasks = 4

	// mostTaskPictures bounds the pictures handed to a task, and those that come back into the context.
	mostTaskPictures = 20
	mostTaskReturned = 8

	// mostTaskListed bounds the pictures that an answer names beside those it hands back.
	mostTaskListed = 16

	// taskAnswerKept is the length in bytes from which an answer is stored also where it is shown whole: what is longer
	// may leave the context, and a task is not run again to know what it said.
	taskAnswerKept = 300

	// taskTitleRunes bounds a task's title: it stands on one line of the screen.
	taskTitleRunes = 60

	// mostTaskSteps bounds the steps kept with a result for the screen; the task's own log holds them all.
	mostTaskSteps = 100

	// taskStepRunes bounds a step's line.
	taskStepRunes = 160
)
